// Puts each picture NAME_sketched.png and the picture NAME_repaired.png after it on top of each other, with a divider. Without
// this program, and where the pages are read in a repository, they are two pictures side by side.
"use strict";

for (const sketched of document.querySelectorAll('img[src$="_sketched.png"]')) {
    const repaired = sketched.nextElementSibling;
    if (repaired?.getAttribute("src") !== sketched.getAttribute("src").replace(/_sketched\.png$/, "_repaired.png")) {
        continue;
    }
    const divider = document.createElement("input");
    const frame = document.createElement("span");
    const caption = (text) => {
        const element = document.createElement("span");
        element.className = element.textContent = text;
        element.setAttribute("aria-hidden", "true");
        return element;
    };
    frame.className = "compare";
    sketched.before(frame);
    Object.assign(divider, { type: "range", min: 0, max: 100, value: 50 });
    divider.setAttribute("aria-label", "Divider between the sketched pose on its left and the repaired one on its right");
    const move = () => {
        frame.style.setProperty("--divider", `${divider.value}%`);
        divider.setAttribute("aria-valuetext", `${divider.value} % sketched`);
    };
    divider.addEventListener("input", move);
    // A browser may restore the value of a page that is opened again.
    move();
    frame.append(sketched, repaired, caption("sketched"), caption("repaired"), divider);
}
