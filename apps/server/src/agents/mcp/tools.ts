import type { Tool } from "./tool.ts";
import { PROJECT_TOOLS } from "./tools/projects.ts";
import { TRACE_TOOLS } from "./tools/traces.ts";

/** Every tool, in the order in which clients see them. */
export const TOOLS: readonly Tool[] = [...PROJECT_TOOLS, ...TRACE_TOOLS];
