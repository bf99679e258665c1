import { join } from "node:path";

/** Python with what e2e/python/requirements.txt lists; `npm test` makes it. */
export const PYTHON = process.env["E2E_PYTHON"] ?? join(import.meta.dirname, "../.cache/python/bin/python");
