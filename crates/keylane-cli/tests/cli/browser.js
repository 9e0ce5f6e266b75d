// Looks at a page as its readers do: under each choice that it offers, every plot that shows must have its shapes. The
// verdict takes the place of the page.
{
    const plots = [...document.querySelectorAll("[role=img]")];
    const inputs = [...document.querySelectorAll("input[type=radio]")];
    const drawn = new Set();
    const faults = new Set();

    const size = element => {
        const { width, height } = element.getBoundingClientRect();
        return width + height;
    };
    const isShown = element => element.getClientRects().length > 0;
    const name = plot => plot.getAttribute("aria-label");

    const lookAt = plot => {
        const lines = [...plot.querySelectorAll("polyline")].filter(line => line.points.length !== 1);
        const shapes = [...plot.querySelectorAll("rect, circle, path:not(.grid)"), ...lines];
        if (shapes.length === 0) faults.add(`nothing drawn: ${name(plot)}`);
        if (lines.some(line => size(line) === 0)) faults.add(`a line is not drawn: ${name(plot)}`);
        if (!shapes.some(shape => size(shape) > 0)) faults.add(`no size: ${name(plot)}`);
        for (const { name: kind, value } of inputs.filter(input => input.checked && input.value !== "every")) {
            if (!plot.closest(`.${kind}`)?.classList.contains(value)) faults.add(`not chosen: ${name(plot)}`);
        }
        drawn.add(plot);
    };
    const look = () => {
        plots.filter(isShown).forEach(lookAt);
        if (document.documentElement.scrollWidth > innerWidth) faults.add("wider than the window");
    };
    const choose = kinds => {
        const [kind, ...others] = kinds;
        if (kind === undefined) return look();
        for (const input of inputs.filter(input => input.name === kind)) {
            input.click();
            choose(others);
        }
    };
    choose([...new Set(inputs.map(input => input.name))]);

    for (const plot of plots) if (!drawn.has(plot)) faults.add(`never shown: ${name(plot)}`);
    for (const article of document.querySelectorAll("article")) {
        // A page may say that there was nothing to draw.
        if (!article.querySelector("[role=img], p.absent")) faults.add(`no plot: ${article.textContent.slice(0, 60)}`);
    }
    const marks = document.querySelectorAll("circle.lost").length;
    if (marks !== document.querySelectorAll("td.lost").length) faults.add("not every cell that is lost has its mark");

    const verdict = document.createElement("pre");
    verdict.textContent = ["plots and marks:", plots.length, marks, ...faults].join("\n");
    document.body.replaceChildren(verdict);
}
