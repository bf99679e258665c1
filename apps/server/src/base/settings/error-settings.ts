import { setting } from "./setting.ts";
import { boolean, integer } from "./value-kinds.ts";

/** Failures of spans and the groups of those that are the same. */
export const ERRORS = {
	SERVICE_ENABLE_ERROR_GROUPS: setting(
		boolean,
		true,
		"Group failures of spans. What fails while this is off is not looked at later.",
	),
	SERVICE_ERROR_GROUP_RETENTION_DAYS: setting(
		integer(0, 3_650),
		90,
		"Days for which a group of errors without stored occurrences stays after it was last seen; 0 for ever. Ignored groups always stay.",
	),
};
