// Small helpers for elements of the page.

import { localized } from "./strings.js";

type Child = Node | string | null | undefined | false;
type Properties = Record<string, unknown>;

/** The listeners of elements by their events, which `update` replaces. */
const listeners = new WeakMap<Node, Record<string, EventListener | null>>();

/** The keys of elements, by which `update` finds them again. */
const keys = new WeakMap<Node, unknown>();

function listen(node: Node, event: string, listener: EventListener): void {
  const own = listeners.get(node) ?? {};
  if (!(event in own)) node.addEventListener(event, (given) => listeners.get(node)?.[event]?.(given));
  listeners.set(node, { ...own, [event]: listener });
}

/**
 * Creates an element. Properties that begin with `on` are listeners. `role` and names with a hyphen are attributes. `key` identifies
 * the element among its siblings for `update`.
 */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "key") keys.set(node, value);
    else if (name.startsWith("on")) listen(node, name.slice(2), value as EventListener);
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

/**
 * Replaces the children of an element, and keeps the elements that have the same key, or the same tag at the same place. A press of a
 * button, the focus and the scroll position therefore survive. Listeners of the new elements must not refer to new elements.
 */
export function update(parent: Element, ...children: Child[]): void {
  const wanted = children.filter((child): child is Node | string => !!child || child === "")
    .map((child) => (typeof child === "string" ? document.createTextNode(child) : child));
  const given = new Set<Node>(wanted);
  const keyed = new Map([...parent.childNodes].filter((node) => keys.has(node)).map((node) => [keys.get(node), node]));
  let at = parent.firstChild;
  for (const node of wanted) {
    const isFree = at !== null && !given.has(at) && !keys.has(at) && at.nodeName === node.nodeName;
    const kept = given.has(node) && node.parentNode === parent ? node : keys.has(node) ? (keyed.get(keys.get(node)) ?? node) : isFree && at ? at : node;
    if (kept !== node) patch(kept, node);
    if (kept === at) at = at.nextSibling;
    else parent.insertBefore(kept, at);
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

/** Gives an element the attributes, listeners and children of another one. */
function patch(old: Node, node: Node): void {
  if (!(old instanceof HTMLElement && node instanceof HTMLElement)) {
    if (old.nodeValue !== node.nodeValue) old.nodeValue = node.nodeValue;
    return;
  }
  for (const { name } of [...old.attributes]) if (!node.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of node.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  const [before, after] = [listeners.get(old) ?? {}, listeners.get(node) ?? {}];
  for (const event of Object.keys(before)) before[event] = null;
  for (const [event, listener] of Object.entries(after)) if (listener) listen(old, event, listener);
  update(old, ...node.childNodes);
  if (old instanceof HTMLInputElement && node instanceof HTMLInputElement) {
    old.checked = node.checked;
    if (old !== document.activeElement) old.value = node.value;
  }
  // A disabled element would keep the focus, and swallow the keys of the page.
  if (old === document.activeElement && (old as HTMLButtonElement).disabled) old.blur();
  if (old instanceof HTMLSelectElement && node instanceof HTMLSelectElement) old.value = node.value;
}

/** Returns text in which parts between backticks are code. */
export function prose(text: string): HTMLElement {
  const parts = text.split("`").map((part, index) => (index % 2 === 1 ? element("code", {}, part) : part));
  return element("span", {}, ...parts);
}

/** Formats seconds in the language of the page: `1.500 s`, `2:03.250`, `−0.500 s`. */
export function time(seconds: number): string {
  if (!Number.isFinite(seconds)) return "–";
  // Rounding comes first, because 59.9999 s are 1:00.000.
  const milliseconds = Math.round(Math.abs(seconds) * 1000);
  const sign = seconds < 0 && milliseconds > 0 ? "−" : "";
  if (milliseconds < 60_000) return `${sign}${localized((milliseconds / 1000).toFixed(3))} s`;
  const minutes = Math.floor(milliseconds / 60_000);
  return `${sign}${minutes}:${localized(((milliseconds % 60_000) / 1000).toFixed(3).padStart(6, "0"))}`;
}
