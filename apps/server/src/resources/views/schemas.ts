import { z } from "zod";
import { pageSchema } from "#http/cursors.ts";
import { filterParam } from "#http/filter-param.ts";
import { cursorParam, limitParam, onlyParams, orderParam, searchParam, textParam } from "#http/query-params.ts";
import { storedName, storedText } from "#http/stored-text.ts";
import { wireTime } from "#http/wire-times.ts";
import { VIEW_PAGES } from "#storage/schema.ts";

/** Characters of a state as JSON: more than any address that browsers keep. */
const MAX_STATE = 32_768;
const MAX_NAME = 200;

const values = z
	.array(storedText(1_000).min(1))
	.min(1)
	.max(100)
	.describe("Exact values, any of which a row has to have.");
const time = z.iso.datetime({ offset: true });
const latency = z.number().gte(0);

/** What the address of a list holds; the parts are named as the parameters of the list's route. */
export const ViewState = z
	.strictObject({
		filter: filterParam.min(1).refine((text) => !text.includes("\0") && text.isWellFormed()),
		q: storedText(500).min(1).describe("Words to search for."),
		columns: z
			.array(storedText(1_100).min(1))
			.min(1)
			.max(200)
			.describe("Keys of columns in their order, with a width in pixels such as `name:240`; `-` before it hides one."),
		sort: storedText(1_010).min(1),
		order: orderParam,
		range: z
			.string()
			.regex(
				/^(?:all|\d{1,5}[mhd]|today|yesterday|(?:this|last)_(?:week|month))$/,
				"Input should be 'all', a number of minutes, hours or days such as '7d', or 'today', 'yesterday', 'this_week', 'last_week', 'this_month' or 'last_month'",
			)
			.describe("Up to now, or up to `end_time`."),
		start_time: time,
		end_time: time,
		error: z.boolean().describe("Only with an error, or only without."),
		min_latency_ms: latency,
		max_latency_ms: latency,
		name: values,
		user_id: values,
		session_id: values,
		model: values,
		span_kind: values,
		state: z.enum(["open", "resolved", "ignored"]),
		error_kind: values,
		assignee: storedText(200).min(1),
		release: values,
		environment: values,
	})
	.partial()
	.refine((state) => JSON.stringify(state).length <= MAX_STATE, `its JSON is longer than ${MAX_STATE} characters`)
	.meta({
		id: "ViewState",
		description:
			"What the address of a list holds, by the names of the list's parameters. Each page has its own parts.",
	});
export type ViewState = z.output<typeof ViewState>;

const page = z.enum(VIEW_PAGES).describe("The list that it is of.");
const visibility = z.enum(["shared", "private"]);
const name = storedName.max(MAX_NAME);

export const View = z
	.object({
		id: z.string(),
		name: z.string(),
		page,
		project_id: z.string().nullable().describe("Null for the lists of every project."),
		state: ViewState,
		visibility,
		owner_id: z
			.string()
			.nullable()
			.describe("Null for the system, while authentication was off, and after the account was deleted."),
		created_at: wireTime,
		updated_at: wireTime,
	})
	.meta({ id: "View" });

export const OneView = z.object({ data: View });
export const ViewPageOfList = pageSchema(View).meta({ id: "ViewPage" });

export const ViewListQuery = onlyParams({
	project: textParam.optional().describe("Id or name: the views of this project, and those of every project."),
	page: page.optional(),
	name_contains: searchParam.optional().describe("Part of the name, in any case."),
	cursor: cursorParam,
	limit: limitParam(100),
});

export const CreateViewBody = z.strictObject({
	name,
	page,
	project: z
		.string()
		.min(1)
		.max(1_000)
		.nullish()
		.describe("Id or name; null or absent for the lists of every project."),
	state: ViewState,
	visibility: visibility.default("shared").describe("`private`: only its owner sees it."),
});

export const PatchViewBody = z.strictObject({
	name: name.optional(),
	state: ViewState.optional().describe("Replaces the whole state."),
	visibility: visibility.optional().describe("Only the owner makes a view private."),
});

const idOrNull = z.string().nullable();

export const DefaultViews = z
	.object(Object.fromEntries(VIEW_PAGES.map((each) => [each, idOrNull])) as DefaultViewShape)
	.meta({ id: "DefaultViews", description: "By page the id of the view that the list opens with; null for none." });
export const SetDefaultViewsBody = z.strictObject(
	Object.fromEntries(VIEW_PAGES.map((each) => [each, idOrNull.optional()])) as {
		[Page in (typeof VIEW_PAGES)[number]]: z.ZodOptional<typeof idOrNull>;
	},
);
type DefaultViewShape = { [Page in (typeof VIEW_PAGES)[number]]: typeof idOrNull };
