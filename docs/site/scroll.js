// What is wider than the page is scrolled by keys, too.
document.querySelectorAll("pre code, .wy-table-responsive, table").forEach((region) => {
    if (region.scrollWidth > region.clientWidth) {
        region.tabIndex = 0;
    }
});
