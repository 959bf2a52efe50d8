//! Proximity queries between triangle models: collision, inside, distance, contact features, time of contact.
