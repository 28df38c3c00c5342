// The first script of the page. The other scripts and the texts are compressed inside the page: this script unpacks them,
// and starts the viewer, which is one of them.

import { unpacked } from "./embedded.js";

async function load(): Promise<void> {
  const nodes = [...document.querySelectorAll<HTMLScriptElement>("script[data-packed]")];
  await Promise.all(nodes.map(async (node) => {
    node.textContent = new TextDecoder().decode(await unpacked(node));
  }));
  const packed = document.getElementById("page");
  const script = document.createElement("script");
  script.type = "module";
  script.textContent = packed?.textContent ?? "";
  packed?.remove();
  document.body.append(script);
}

load().catch((error: unknown) => {
  // A browser from before 2023 lacks the function that unpacks.
  const message = document.createElement("p");
  message.className = "message error";
  message.setAttribute("role", "alert");
  message.textContent = String(error);
  document.body.append(message);
});
