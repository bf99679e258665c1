import type { Culprit } from "@spanward/error-groups";
import type { z } from "zod";
import { encodeGlobalId } from "#http/global-ids.ts";
import { formatTime } from "#http/wire-times.ts";
import type { GroupRow } from "./find-groups.ts";
import type { GroupFigures } from "./group-figures.ts";
import type { ErrorGroup } from "./schemas.ts";

/** For so long an open group is new. */
const NEW_MICROS = 7 * 86_400_000_000;

type Wire = z.output<typeof ErrorGroup>;

export function toErrorGroup(
	row: GroupRow,
	{ count, user_count, session_count, trace_count, releases }: GroupFigures,
	nowMicros: number,
): Wire {
	return {
		id: encodeGlobalId("ErrorGroup", row.id),
		project_id: encodeGlobalId("Project", row.project_id),
		fingerprint: row.fingerprint,
		error_kind: row.kind,
		title: row.title,
		message: row.message,
		culprit: toCulprit(row.culprit),
		state: row.state,
		substate: substateOf(row, nowMicros),
		resolved_at: row.state === "resolved" ? timeOrNull(row.resolved_at) : null,
		resolved_in_release: row.state === "resolved" ? row.resolved_in_release : null,
		ignore_until: ignoreUntil(row),
		assignee: toPerson(row.assignee_id, row.assignee_name),
		...{ count, user_count, session_count, trace_count, total_count: row.total_count },
		first_seen: formatTime(row.first_seen),
		last_seen: formatTime(row.last_seen),
		first_release: row.first_release,
		last_release: row.last_release,
		releases: [...releases],
		updated_at: formatTime(row.updated_at),
	};
}

/** A user in an answer; null where there is none. */
export function toPerson(id: number | null, username: string | null): Wire["assignee"] {
	return id === null || username === null ? null : { id: encodeGlobalId("User", id), username };
}

function substateOf({ state, regressed_at: regressed, first_seen: first }: GroupRow, now: number): Wire["substate"] {
	if (state !== "open") return null;
	if (regressed !== null) return "regressed";
	return first > now - NEW_MICROS ? "new" : "ongoing";
}

function ignoreUntil({ state, ignore_until: time, ignore_occurrences: occurrences, ignore_users: users }: GroupRow) {
	const isForEver = time === null && occurrences === null && users === null;
	if (state !== "ignored" || isForEver) return null;
	return { time: timeOrNull(time), occurrences, users };
}

function toCulprit(json: string): Wire["culprit"] {
	const { span_name, tool, provider, model, status, code }: Culprit = JSON.parse(json);
	return {
		span_name,
		tool: tool ?? null,
		provider: provider ?? null,
		model: model ?? null,
		status: status ?? null,
		code: code ?? null,
	};
}

function timeOrNull(micros: number | null): string | null {
	return micros === null ? null : formatTime(micros);
}
