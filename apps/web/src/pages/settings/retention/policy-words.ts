import type { RetentionPolicy } from "@spanward/client";
import { formatInteger } from "../../../lib/format.ts";
import { dataSettingsTexts } from "../../../texts/data-settings-en.ts";

const TEXTS = dataSettingsTexts.retention;

/** What a policy keeps: "30 days, at most the newest 1,000 traces, and annotated ones". */
export function retentionText({
	max_days: days,
	max_traces: count,
	keep_annotated: annotated,
}: Pick<RetentionPolicy, "max_days" | "max_traces" | "keep_annotated">): string {
	if (days === null && count === null) return TEXTS.everything;
	const limits = [
		...(days === null ? [] : [TEXTS.days(String(days))]),
		...(count === null ? [] : [TEXTS.count(formatInteger(count))]),
	];
	const kept = limits.length === 2 ? TEXTS.both(limits[0] ?? "", limits[1] ?? "") : (limits[0] ?? "");
	return annotated ? `${kept}, ${TEXTS.annotatedToo}` : kept;
}

/** Whether this is the default policy, which comes from a setting. */
export function isDefault(policy: RetentionPolicy): boolean {
	return policy.created_at === null;
}
