import type { ErrorGroup } from "@spanward/client";
import { choiceParam, listParam, present, textParam } from "../../lib/search-params.ts";

export const KINDS = [
	"provider_error",
	"tool_failure",
	"exception",
	"refusal",
	"error",
] as const satisfies readonly ErrorGroup["error_kind"][];

/** The state of the inbox in the address. */
export interface ErrorsSearch {
	/** Id of the open saved view. */
	saved?: string;
	/** Absent: open ones. */
	state?: "resolved" | "ignored";
	q?: string;
	/** An expression of the filter language, about spans. */
	filter?: string;
	error_kind?: (typeof KINDS)[number];
	/** An id, `me` or `none`. */
	assignee?: string;
	release?: string[];
	environment?: string[];
	user?: string[];
	/** Absent: when they were last seen. */
	sort?: "first_seen" | "count" | "users";
}

export function parseErrorsSearch(search: Record<string, unknown>): ErrorsSearch {
	return present({
		saved: textParam(search["saved"]),
		state: choiceParam(search["state"], ["resolved", "ignored"]),
		q: textParam(search["q"])?.slice(0, 500),
		filter: textParam(search["filter"])?.slice(0, 10_000),
		error_kind: choiceParam(search["error_kind"], KINDS),
		assignee: textParam(search["assignee"]),
		release: listParam(search["release"]),
		environment: listParam(search["environment"]),
		user: listParam(search["user"]),
		sort: choiceParam(search["sort"], ["first_seen", "count", "users"]),
	});
}
