import { z } from "zod";
import { pageSchema } from "#http/cursors.ts";
import { cursorParam, limitParam, MAX_PARAM_LENGTH, onlyParams, textParam } from "#http/query-params.ts";
import { storedName, storedText } from "#http/stored-text.ts";

/** Columns of the grid on which widgets lie. */
export const COLUMNS = 12;
const MOST_WIDGETS = 60;
const MOST_CONTROLS = 5;
export const LONGEST_NAME = 200;
/** Of a body with a dashboard. */
export const MOST_BYTES = 512 * 1_024;
/** The version of exported files that is written and read. */
export const FILE_VERSION = 1;

const KINDS = ["time_series", "bar", "table", "number", "histogram", "heatmap", "text"] as const;
const flag = z.boolean().optional();

const Display = z
	.strictObject({
		style: z.enum(["line", "area", "bars"]).optional().describe("Of a time series."),
		stacked: flag,
		unit: storedText(20).optional().describe("Written behind numbers, in place of the unit of the measure."),
		decimals: z.int().gte(0).lte(10).optional(),
		log_scale: flag,
		per: z.enum(["bucket", "minute", "hour", "day"]).optional().describe("Of counts and sums over time."),
		thresholds: z
			.array(z.strictObject({ value: z.number(), color: z.enum(["warning", "danger"]) }))
			.max(10)
			.optional(),
		legend: flag,
	})
	.describe("How the answer is drawn; what is absent fits the measure.");

const Layout = z
	.strictObject({
		x: z.int().gte(0).lt(COLUMNS),
		y: z.int().gte(0).lte(10_000),
		w: z.int().gte(1).lte(COLUMNS),
		h: z.int().gte(1).lte(100),
	})
	.refine(({ x, w }) => x + w <= COLUMNS, `x and w together should be at most ${COLUMNS}`);

const Widget = z
	.strictObject({
		key: z
			.string()
			.regex(/^[\w-]{1,64}$/, "Input should be 1 to 64 letters, digits, _ and -")
			.describe("Unique in the dashboard."),
		kind: z.enum(KINDS),
		title: storedText(200),
		query: z
			.record(z.string(), z.unknown())
			.nullish()
			.describe(
				"The parameters of `GET /v1/analytics` as JSON, with `projects` in place of `project`. The range and time zone of the dashboard are used where it names none.",
			),
		text: storedText(50_000).nullish().describe("Markdown, of a text."),
		display: Display.default({}),
		layout: Layout,
	})
	.meta({ id: "DashboardWidget" });
export type WidgetBody = z.output<typeof Widget>;

const refreshSeconds = z.union([z.literal(30), z.literal(60), z.literal(300), z.literal(900)], {
	error: "Input should be 30, 60, 300 or 900, or null",
});

const content = {
	name: storedName.max(LONGEST_NAME),
	description: storedText(10_000).nullish(),
	visibility: z.enum(["shared", "private"]).default("shared").describe("Private ones are there for their owner only."),
	range: z.string().max(MAX_PARAM_LENGTH).default("7d").describe("As in `GET /v1/analytics`."),
	time_zone: z.string().max(100).nullish().describe("IANA name, or `browser`."),
	refresh_seconds: refreshSeconds.nullish(),
	filter: storedText(10_000).nullish().describe("Narrows every widget."),
	controls: z
		.array(storedText(MAX_PARAM_LENGTH))
		.max(MOST_CONTROLS)
		.default([])
		.describe("Fields to group by, each a menu of values that narrows every widget."),
	widgets: z.array(Widget).max(MOST_WIDGETS).default([]),
};

const Content = z.strictObject(content);
/** What people write of a dashboard. */
export type DashboardContent = z.output<typeof Content>;

const project_id = z.string().max(MAX_PARAM_LENGTH).nullish();
export const CreateDashboardBody = z
	.strictObject({
		...content,
		project_id: project_id.describe("Global id or name; null or absent for one across projects."),
	})
	.meta({ id: "CreateDashboardBody" });
export const ReplaceDashboardBody = z
	.strictObject({
		...content,
		project_id: project_id.describe("Moves it; null for one across projects. It stays where it is when absent."),
	})
	.meta({ id: "ReplaceDashboardBody" });

export const DashboardFile = z
	.strictObject({
		spanward_dashboard: z.literal(FILE_VERSION, {
			error: `Input should be ${FILE_VERSION}: this file is of another version, which this server does not know`,
		}),
		...content,
	})
	.meta({ id: "DashboardFile", description: "A dashboard without ids and owners, for another installation." });

const nullableText = z.string().nullable();
const UserName = z.object({ id: z.string(), username: z.string() }).nullable();
const stored = {
	id: z.string().describe("Global id, or `builtin:` and a name."),
	name: z.string(),
	description: nullableText,
	project_id: nullableText.describe("Null for one across projects."),
	visibility: z.enum(["shared", "private"]),
	owner_id: nullableText.describe("Null for built-in ones, and where there is no owner any more."),
	created_at: nullableText,
	updated_at: nullableText,
	updated_by: UserName,
	is_built_in: z.boolean(),
};

export const Dashboard = z
	.object({
		...stored,
		range: z.string(),
		time_zone: nullableText,
		refresh_seconds: refreshSeconds.nullable(),
		filter: nullableText,
		controls: z.array(z.string()),
		widgets: z.array(
			Widget.extend({ query: z.record(z.string(), z.unknown()).nullable(), text: nullableText }).meta({
				id: "StoredDashboardWidget",
			}),
		),
	})
	.meta({ id: "Dashboard" });
export const OneDashboard = z.object({ data: Dashboard });

export const DashboardSummary = z.object({ ...stored, widget_count: z.int() }).meta({ id: "DashboardSummary" });
export const DashboardPage = pageSchema(DashboardSummary).meta({ id: "DashboardPage" });

const project = textParam.optional();
export const DashboardListQuery = onlyParams({
	project: project.describe("Global id or name: only those of this project. All that the caller sees when absent."),
	name_contains: textParam.optional().describe("Part of the name, in any case."),
	cursor: cursorParam,
	limit: limitParam(100),
});
export const OneDashboardQuery = onlyParams({
	project: project.describe("Global id or name: of a built-in one, the project that it is about."),
});
export const ImportQuery = onlyParams({
	project: project.describe("Global id or name: where to make it. Across projects when absent."),
});
