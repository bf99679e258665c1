import { ERROR_KINDS } from "@spanward/error-groups";
import { z } from "zod";
import { pageSchema } from "#http/cursors.ts";
import { filterParam } from "#http/filter-param.ts";
import { cursorParam, limitParam, onlyParams, repeated, searchParam, textParam } from "#http/query-params.ts";
import { storedText } from "#http/stored-text.ts";
import { timeParam, wireTime } from "#http/wire-times.ts";
import { ERROR_ACTIVITIES, ERROR_GROUP_STATES } from "#storage/schema.ts";
import { NAMED_RANGES } from "../analytics/calendar.ts";

export const ERROR_GROUP_SORTS = ["last_seen", "first_seen", "count", "users"] as const;
const SUBSTATES = ["new", "ongoing", "regressed"] as const;
/** Of a batch. */
const MOST_IDS = 500;
const MOST_COUNT = 1_000_000_000;

/** Which occurrences are meant. */
const occurrences = {
	release: repeated(textParam),
	environment: repeated(textParam),
	user_id: repeated(textParam),
	start_time: timeParam.optional().describe("Inclusive."),
	end_time: timeParam.optional().describe("Exclusive."),
	range: textParam
		.optional()
		.describe(
			`Instead of times: a number of minutes, hours or days up to now, such as \`15m\`, \`24h\` or \`7d\`, or ${NAMED_RANGES.join(", ")}. All that is stored when there are no times either.`,
		),
};

export const ListErrorGroupsQuery = onlyParams({
	...occurrences,
	state: repeated(z.enum(ERROR_GROUP_STATES)).describe("`open` when absent."),
	error_kind: repeated(z.enum(ERROR_KINDS)),
	assignee: textParam.optional().describe("Id of a user, `me`, or `none`."),
	q: searchParam.optional().describe("Words that all occur in title, message or where it happened."),
	filter: filterParam.optional().describe("A filter of spans: occurrences whose span fits."),
	sort: z.enum(ERROR_GROUP_SORTS).default("last_seen").describe("Descending."),
	include: repeated(z.enum(["sparkline"])),
	cursor: cursorParam,
	limit: limitParam(50),
});

export const OccurrencesQuery = onlyParams({ ...occurrences, cursor: cursorParam, limit: limitParam(50) });
export const OneErrorGroupQuery = onlyParams(occurrences);
export const PageQuery = onlyParams({ cursor: cursorParam, limit: limitParam(100) });
export const noParams = onlyParams({});

const Person = z.object({ id: z.string(), username: z.string() });
const Culprit = z.object({
	span_name: z.string(),
	tool: z.string().nullable(),
	provider: z.string().nullable(),
	model: z.string().nullable(),
	status: z.string().nullable().describe("An HTTP status, `timeout` or `connection`."),
	code: z.string().nullable().describe("The provider's code of the error, or the reason of a refusal."),
});
const IgnoreUntil = z.object({
	time: wireTime.nullable(),
	occurrences: z.int().nullable().describe("So many more."),
	users: z.int().nullable().describe("So many more."),
});

export const ErrorGroup = z
	.object({
		id: z.string(),
		project_id: z.string(),
		fingerprint: z.string(),
		error_kind: z.enum(ERROR_KINDS),
		title: z.string(),
		message: z.string(),
		culprit: Culprit,
		state: z.enum(ERROR_GROUP_STATES),
		substate: z.enum(SUBSTATES).nullable().describe("Of an open one: `new` for 7 days."),
		resolved_at: wireTime.nullable(),
		resolved_in_release: z.string().nullable(),
		ignore_until: IgnoreUntil.nullable().describe("When an ignored one opens again; null for never."),
		assignee: Person.nullable(),
		count: z.int().describe("Occurrences that are stored, of those asked for; so are the next three and `releases`."),
		user_count: z.int(),
		session_count: z.int(),
		trace_count: z.int(),
		total_count: z.int().describe("All that there ever were, with deleted ones."),
		first_seen: wireTime,
		last_seen: wireTime,
		first_release: z.string().nullable(),
		last_release: z.string().nullable(),
		releases: z.array(z.string()).describe("At most 20, the one that was seen last first."),
		sparkline: z.array(z.int()).optional().describe("Occurrences in 24 equal parts of the time asked about."),
		updated_at: wireTime.describe("Of the last change of state or assignee."),
	})
	.meta({ id: "ErrorGroup" });

export const ErrorGroupPage = pageSchema(ErrorGroup)
	.extend({
		counts: z
			.object({ open: z.int(), resolved: z.int(), ignored: z.int() })
			.describe("Groups that fit everything but `state`."),
		start_time: wireTime.describe("Of the sparklines."),
		end_time: wireTime,
		is_partial: z
			.boolean()
			.describe("Failures before `covered_start_time` are not counted: not grouped yet, or `filter` took too long."),
		covered_start_time: wireTime.nullable(),
		is_enabled: z.boolean().describe("False while failures are not grouped: `SERVICE_ENABLE_ERROR_GROUPS`."),
		is_full: z.boolean().describe("There are 10,000 groups: what is new shares one for each kind and type."),
	})
	.meta({ id: "ErrorGroupPage" });

export const ErrorOccurrence = z
	.object({
		span_id: z.string(),
		trace_id: z.string(),
		time: wireTime.describe("When the span started."),
		user_id: z.string().nullable(),
		session_id: z.string().nullable(),
		release: z.string().nullable(),
		environment: z.string().nullable(),
		model: z.string().nullable(),
		message: z.string().describe("At most 2,000 characters."),
		fingerprint: z.string(),
	})
	.meta({ id: "ErrorOccurrence" });
export const ErrorOccurrencePage = pageSchema(ErrorOccurrence).meta({ id: "ErrorOccurrencePage" });

const Grouping = z
	.object({
		rule: z.enum(["explicit", "provider", "refusal", "stack", "message"]),
		parts: z.array(z.object({ name: z.string(), value: z.string() })).describe("What the fingerprint is made of."),
		normalized_message: z.string(),
		frames: z
			.array(z.object({ module: z.string(), function: z.string(), is_own: z.boolean() }))
			.describe("At most 50, innermost first."),
	})
	.meta({ id: "ErrorGrouping" });
const Counts = z.array(z.int());
const Fingerprint = z.object({
	fingerprint: z.string(),
	title: z.string(),
	total_count: z.int(),
	first_seen: wireTime,
	last_seen: wireTime,
});

export const ErrorGroupDetail = ErrorGroup.extend({
	grouping: Grouping,
	fingerprints: z.array(Fingerprint).describe("More than one after a merge; the group's own first."),
	timeline: z.object({
		start_times: z.array(wireTime).describe("Of equal parts of the time asked about."),
		end_time: wireTime,
		series: z
			.array(z.object({ release: z.string().nullable(), counts: Counts }))
			.describe("At most 5, those with the most occurrences."),
		others: Counts.nullable().describe("Of all other releases."),
	}),
	newest: ErrorOccurrence.nullable(),
	oldest: ErrorOccurrence.nullable(),
	by_release: z.array(ErrorOccurrence).describe("The newest of each release, of at most 20."),
	users: z
		.array(z.object({ user_id: z.string(), count: z.int(), last_seen: wireTime }))
		.describe("At most 10, with the most occurrences."),
}).meta({ id: "ErrorGroupDetail" });
export const OneErrorGroup = z.object({ data: ErrorGroup });

const count = z.int().min(1).max(MOST_COUNT);
export const ErrorGroupChange = z
	.strictObject({
		state: z.enum(ERROR_GROUP_STATES).optional(),
		resolved_in_release: storedText(1_000)
			.min(1)
			.nullish()
			.describe("With `resolved`: only what happens in a release that came later opens it again."),
		ignore_until: z
			.strictObject({
				time: timeParam.nullish(),
				occurrences: count.nullish().describe("So many more."),
				users: count.nullish().describe("So many more."),
			})
			.nullish()
			.describe("With `ignored`: when it opens again, at the first that comes true; never when absent."),
		assignee_id: textParam.nullish().describe("Id of a user, or `me`; null for nobody."),
	})
	.refine(
		({ state, assignee_id: assignee }) => state !== undefined || assignee !== undefined,
		"`state` or `assignee_id` is needed",
	)
	.refine(({ state, resolved_in_release: release }) => release == null || state === "resolved", {
		path: ["resolved_in_release"],
		message: "goes with the state resolved",
	})
	.refine(({ state, ignore_until: until }) => until == null || state === "ignored", {
		path: ["ignore_until"],
		message: "goes with the state ignored",
	})
	.meta({ id: "ErrorGroupChange" });

const ids = z.array(textParam).min(1).max(MOST_IDS);
export const ErrorGroupBatch = z.strictObject({ ids, change: ErrorGroupChange }).meta({ id: "ErrorGroupBatch" });
export const ErrorGroupBatchAnswer = z
	.object({
		data: z.array(
			z.object({
				id: z.string(),
				status: z.enum(["changed", "unchanged", "not_found"]),
			}),
		),
	})
	.meta({ id: "ErrorGroupBatchAnswer" });
export const MergeBody = z
	.strictObject({ ids: ids.describe("Groups of the same project, which end with this.") })
	.meta({ id: "MergeErrorGroupsBody" });
export const UnmergeBody = z
	.strictObject({
		fingerprints: z
			.array(z.string().regex(/^[0-9a-f]{32}$/))
			.min(1)
			.max(100),
	})
	.meta({ id: "UnmergeErrorGroupBody" });
export const UnmergeAnswer = z
	.object({ data: z.array(ErrorGroup) })
	.describe("The group, and those that were taken out.");

const commentText = storedText(10_000)
	.refine((text) => text.trim() !== "", "a comment has at least one character")
	.describe("Markdown.");
export const CommentBody = z.strictObject({ text: commentText }).meta({ id: "ErrorCommentBody" });
export const ErrorComment = z
	.object({
		id: z.string(),
		error_group_id: z.string(),
		author: Person.nullable(),
		is_own: z.boolean(),
		text: z.string(),
		created_at: wireTime,
		updated_at: wireTime,
	})
	.meta({ id: "ErrorComment" });
export const OneErrorComment = z.object({ data: ErrorComment });
export const ErrorCommentPage = pageSchema(ErrorComment).meta({ id: "ErrorCommentPage" });

export const ErrorActivityItem = z
	.object({
		id: z.string(),
		time: wireTime,
		action: z.enum(ERROR_ACTIVITIES).describe("`regressed` and `unignored` happen by themselves."),
		actor_kind: z.string(),
		user: Person.nullable(),
		details: z.record(z.string(), z.unknown()),
	})
	.meta({ id: "ErrorActivity" });
export const ErrorActivityPage = pageSchema(ErrorActivityItem).meta({ id: "ErrorActivityPage" });

export const ErrorAssignees = z.object({ data: z.array(Person) });

/** What the page of a trace says of a span that failed. */
export const ErrorsOfTrace = z.object({
	data: z.array(
		z.object({
			span_id: z.string(),
			error_group: z.object({
				id: z.string(),
				title: z.string(),
				state: z.enum(ERROR_GROUP_STATES),
				total_count: z.int(),
				user_count: z.int().describe("Of stored occurrences."),
				first_seen: wireTime,
			}),
		}),
	),
});

const ownCode = storedText(1_000).refine((text) => text.trim() !== "", "a path has at least one character");
const settings = {
	release_key: storedText(1_000)
		.min(1)
		.nullable()
		.describe("The attribute of spans or resources with the release; null for the usual ones."),
	own_code: z
		.array(ownCode)
		.max(100)
		.describe("Code that is no library: parts of paths, or beginnings of modules, such as `/site-packages/acme/`."),
	kinds: z
		.array(z.enum(ERROR_KINDS))
		.refine((kinds) => new Set(kinds).size === kinds.length, "each kind once")
		.nullable()
		.describe("The kinds that are collected from now on; null for all."),
};
export const ErrorSettingsBody = z.strictObject(settings).meta({ id: "ErrorSettingsBody" });
export const ErrorSettings = z
	.object({ project_id: z.string(), ...settings, updated_at: wireTime.nullable() })
	.meta({ id: "ErrorSettings" });
export const OneErrorSettings = z.object({ data: ErrorSettings });
