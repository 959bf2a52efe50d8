"""Simulate a pile in a bin, read its contacts, and continue from a snapshot with the same bits."""

import numpy as np

import extricate as ex

world = ex.World.load("scenes/rigid/box_pyramid.ron")
world.step(60)
contacts = world.contacts
print(f"{len(world.names)} bodies after {world.time:.2f} s: {len(contacts)} contacts, {contacts.force.sum():.1f} N in all")
strongest = int(np.argmax(contacts.force))
print(f"the strongest, {contacts.force[strongest]:.2f} N, is between {' and '.join(contacts.bodies[strongest])}")

saved = world.snapshot()
world.step(30)
first = world.hash
world.restore(saved)
world.step(30)
print(f"continued twice with the same bits: {world.hash == first}")
