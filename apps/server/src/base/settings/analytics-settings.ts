import { setting } from "./setting.ts";
import { integer } from "./value-kinds.ts";

/** Questions about many spans, traces and sessions. */
export const ANALYTICS = {
	SERVICE_ANALYTICS_TIMEOUT_SECONDS: setting(
		integer(1, 60),
		10,
		"Time of one question that reads rows. What was read by then is answered, and said to be incomplete.",
	),
	SERVICE_ANALYTICS_CONCURRENCY: setting(integer(1, 16), 2, "Such questions that one process answers at a time."),
};
