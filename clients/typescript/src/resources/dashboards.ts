import type { Client } from "../client.ts";
import type {
	CreateDashboardBodyInput,
	Dashboard,
	DashboardFile,
	DashboardFileInput,
	DashboardSummary,
	Operations,
	ReplaceDashboardBodyInput,
} from "../generated/api.ts";
import { Paged } from "../paged.ts";
import { type ChangeOptions, getTagged, type Tagged, toHeaders } from "../tagged.ts";

type ListOptions = Omit<NonNullable<Operations["get"]["/v1/dashboards"]["query"]>, "cursor">;

interface OneOptions {
	/** Of a built-in one: the project that it is about, by id or name. */
	project?: string;
}

interface ImportOptions {
	/** By id or name; across projects when absent. */
	project?: string;
}

/** Dashboards as JSON. Built-in ones have ids such as `builtin:cost`. */
export class Dashboards {
	readonly #api: Client;

	constructor(api: Client) {
		this.#api = api;
	}

	/** Built-in ones first, then the newest; without their widgets. */
	list(query: ListOptions = {}): Paged<DashboardSummary> {
		return new Paged((cursor) => this.#api.get("/v1/dashboards", { query: { ...query, ...(cursor && { cursor }) } }));
	}

	async get(dashboardId: string, query: OneOptions = {}): Promise<Dashboard> {
		const path = { dashboard_id: dashboardId };
		return (await this.#api.get("/v1/dashboards/{dashboard_id}", { path, query })).data;
	}

	async getWithEtag(dashboardId: string): Promise<Tagged<Dashboard>> {
		return await getTagged(this.#api, `/v1/dashboards/${encodeURIComponent(dashboardId)}`);
	}

	/** Also of what `get` answered, under another name; across projects without `project_id`, an id or a name. */
	async create(dashboard: CreateDashboardBodyInput): Promise<Dashboard> {
		return (await this.#api.post("/v1/dashboards", { body: written(dashboard) })).data;
	}

	/**
	 * Puts what `get` answered, changed, in the place of what is stored.
	 * @example
	 * const { data, etag } = await spanward.dashboards.getWithEtag(id);
	 * await spanward.dashboards.replace(id, { ...data, range: "30d" }, { ifMatch: etag });
	 */
	async replace(
		dashboardId: string,
		dashboard: ReplaceDashboardBodyInput,
		options: ChangeOptions = {},
	): Promise<Dashboard> {
		const parts = { path: { dashboard_id: dashboardId }, body: written(dashboard), ...toHeaders(options) };
		return (await this.#api.put("/v1/dashboards/{dashboard_id}", parts)).data;
	}

	/** One's own, or any shared one by admins. */
	async delete(dashboardId: string, options: ChangeOptions = {}): Promise<void> {
		const path = { dashboard_id: dashboardId };
		await this.#api.delete("/v1/dashboards/{dashboard_id}", { path, ...toHeaders(options) });
	}

	/** Without ids and owners, for `import` there or elsewhere. */
	async export(dashboardId: string, query: OneOptions = {}): Promise<DashboardFile> {
		return await this.#api.get("/v1/dashboards/{dashboard_id}/export", { path: { dashboard_id: dashboardId }, query });
	}

	/** A name that is taken gets a number. */
	async import(file: DashboardFileInput, query: ImportOptions = {}): Promise<Dashboard> {
		return (await this.#api.post("/v1/dashboards/import", { query, body: file })).data;
	}
}

const OF_THE_SERVER: ReadonlySet<string> = new Set([
	"id",
	"owner_id",
	"created_at",
	"updated_at",
	"updated_by",
	"is_built_in",
]);

/** Without what only the server says of a dashboard. */
function written<T extends object>(dashboard: T): T {
	return Object.fromEntries(Object.entries(dashboard).filter(([name]) => !OF_THE_SERVER.has(name))) as T;
}
