import { setting } from "./setting.ts";
import { integer } from "./value-kinds.ts";

/** Understood, so that a deployment may set them already; each is named in a warning at the start. */
export const PLANNED = {
	SERVICE_MAX_SPANS_QUEUE_SIZE: setting(
		integer(1, 1_000_000_000),
		20_000,
		"Maximum number of spans waiting to be stored; here SERVICE_INGEST_QUEUE_BYTES limits them instead.",
		{ planned: true },
	),
};
