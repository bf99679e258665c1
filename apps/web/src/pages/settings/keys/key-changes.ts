import type { KeyChange } from "../../../lib/api-keys.ts";
import type { ListedKey } from "./key-columns.tsx";
import { isIngestOnly, type LimitsForm, limitOf, linesOf } from "./key-purposes.ts";

/** What limits a key, as the form shows it. */
export function limitsFormOf(key: ListedKey): LimitsForm {
	const { requests_per_minute, spans_per_day } = key.limits;
	return {
		permissions: key.permissions,
		projects: key.projects ?? [],
		library: key.include_library,
		ranges: key.ip_ranges?.join("\n") ?? "",
		origins: key.allowed_origins?.join("\n") ?? "",
		requests: requests_per_minute?.toString() ?? "",
		spans: spans_per_day?.toString() ?? "",
	};
}

export function hasOtherHomes(before: LimitsForm, form: LimitsForm): boolean {
	const ids = ({ projects }: LimitsForm) => projects.map(({ id }) => id).sort();
	return before.library !== form.library || !isSame(ids(before), ids(form));
}

/** What differs in the form, as it is sent. */
export function limitChanges(before: LimitsForm, form: LimitsForm): KeyChange {
	const [requests, spans] = [limitOf(form.requests), limitOf(form.spans)];
	const isOther = (field: "ranges" | "origins") => !isSame(linesOf(before[field]), linesOf(form[field]));
	return {
		...(form.permissions === null || isSame(before.permissions, form.permissions)
			? {}
			: { permissions: [...form.permissions] }),
		...(hasOtherHomes(before, form)
			? { projects: form.projects.map(({ id }) => id), include_library: form.library }
			: {}),
		...(isOther("ranges") ? { ip_ranges: linesOf(form.ranges) ?? null } : {}),
		...(isIngestOnly(form) && isOther("origins") ? { allowed_origins: linesOf(form.origins) ?? null } : {}),
		...(before.requests === form.requests.trim() && before.spans === form.spans.trim()
			? {}
			: {
					limits: {
						requests_per_minute: typeof requests === "number" ? requests : null,
						spans_per_day: typeof spans === "number" ? spans : null,
					},
				}),
	};
}

function isSame(one: readonly string[] | null | undefined, other: readonly string[] | null | undefined): boolean {
	return JSON.stringify(one) === JSON.stringify(other);
}
