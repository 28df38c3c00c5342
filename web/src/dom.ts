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
  if (seconds < 0) return `−${time(-seconds)}`;
  if (seconds < 60) return `${seconds.toFixed(3)} s`;
  const minutes = Math.trunc(seconds / 60);
  return `${minutes}:${(seconds - 60 * minutes).toFixed(3).padStart(6, "0")}`;
}
