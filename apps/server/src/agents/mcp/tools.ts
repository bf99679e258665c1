import type { Tool } from "./tool.ts";
import { ANNOTATING_TOOLS, ANNOTATION_TOOLS } from "./tools/annotations.ts";
import { DATASET_TOOLS, DATASET_WRITING_TOOLS } from "./tools/datasets.ts";
import { EXPERIMENT_TOOLS } from "./tools/experiments.ts";
import { EXPLAINING_TOOLS, PROJECT_TOOLS } from "./tools/projects.ts";
import { PROMPT_TOOLS, PROMPT_WRITING_TOOLS } from "./tools/prompts.ts";
import { SESSION_TOOLS } from "./tools/sessions.ts";
import { SPAN_TOOLS } from "./tools/spans.ts";
import { TRACE_TOOLS } from "./tools/traces.ts";

/** Every tool, in the order in which clients see them. */
export const TOOLS: readonly Tool[] = [
	...PROJECT_TOOLS,
	...TRACE_TOOLS,
	...SPAN_TOOLS,
	...SESSION_TOOLS,
	...ANNOTATION_TOOLS,
	...DATASET_TOOLS,
	...EXPERIMENT_TOOLS,
	...PROMPT_TOOLS,
	...EXPLAINING_TOOLS,
	...ANNOTATING_TOOLS,
	...DATASET_WRITING_TOOLS,
	...PROMPT_WRITING_TOOLS,
];
