// The page around this one.

import { HASH } from "./embed-messages.js";

/** True if the function `embed` of the npm package has opened this page in another one. */
export const IS_EMBEDDED = parent !== window && location.hash === HASH;
