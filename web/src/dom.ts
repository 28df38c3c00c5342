// Small helpers for elements of the page.

type Child = Node | string | null | undefined | false;
type Properties = Record<string, unknown>;

/** Creates an element. Properties that begin with `on` are listeners. `role` and names with a hyphen are attributes. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value as EventListener);
    else if (name.includes("-") || name === "role" || name === "for" || name === "lang") node.setAttribute(name, String(value));
    else (node as unknown as Properties)[name === "class" ? "className" : name] = value;
  }
  node.append(...children.filter((child): child is Node | string => !!child || child === ""));
  return node;
}

/** Replaces the children of an element, and keeps the focus on the control with the same `id`. */
export function replace(parent: Element, ...children: Child[]): void {
  const focused = document.activeElement;
  const id = focused && parent.contains(focused) ? focused.id : "";
  parent.replaceChildren(...children.filter((child): child is Node | string => !!child || child === ""));
  if (id) document.getElementById(id)?.focus();
}

/** Returns text in which parts between backticks are code. */
export function prose(text: string): HTMLElement {
  const parts = text.split("`").map((part, index) => (index % 2 === 1 ? element("code", {}, part) : part));
  return element("span", {}, ...parts);
}

/** Formats seconds: `1.500 s`, `2:03.250`, `−0.500 s`. */
export function time(seconds: number): string {
  if (!Number.isFinite(seconds)) return "–";
  // Rounding comes first, because 59.9999 s are 1:00.000.
  const milliseconds = Math.round(Math.abs(seconds) * 1000);
  const sign = seconds < 0 && milliseconds > 0 ? "−" : "";
  if (milliseconds < 60_000) return `${sign}${(milliseconds / 1000).toFixed(3)} s`;
  const minutes = Math.floor(milliseconds / 60_000);
  return `${sign}${minutes}:${((milliseconds % 60_000) / 1000).toFixed(3).padStart(6, "0")}`;
}
