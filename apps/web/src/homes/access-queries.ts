import type { AccessChangeInput as AccessChange, AccessRule, HomeAccess } from "@spanward/client";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api } from "../lib/api.ts";
import { fetchExact } from "../lib/exact-json.ts";
import { accessTexts } from "../texts/access-en.ts";

export type { AccessChange, HomeAccess };
export type ProjectRole = NonNullable<HomeAccess["own"]["role"]>;
const ROLES = ["viewer", "annotator", "editor", "manager"] as const satisfies readonly ProjectRole[];

/** Roles for a {@link Select}. */
export const ROLE_CHOICES = ROLES.map((value) => ({ value, label: accessTexts.role[value] }));

/** A project by its id, or the library. */
export type Home = { readonly project: string } | "library";

function path(home: Home, rest: "" | "/people/csv" = ""): string {
	return home === "library"
		? api.url(`/v1/library/access${rest}`)
		: api.url(`/v1/projects/{project_identifier}/access${rest}`, { path: { project_identifier: home.project } });
}

/** Where everybody who sees a home is downloaded. */
export function peopleCsvUrl(home: Home): string {
	return path(home, "/people/csv");
}

const keyOf = (home: Home) => (home === "library" ? "library" : home.project);

/** The access of a home with the entity tag by which it is changed. */
export function accessQuery(home: Home) {
	return queryOptions({
		queryKey: ["access", keyOf(home)],
		queryFn: async ({ signal }) => {
			const { body, etag } = await fetchExact(path(home), signal);
			return { access: (body as { data: HomeAccess }).data, etag };
		},
	});
}

/** @param etag of what the change was decided by; absent to change whatever is there */
export async function changeAccess(home: Home, body: AccessChange, etag: string | undefined): Promise<void> {
	const headers = etag === undefined ? {} : { "if-match": etag };
	if (home === "library") await api.patch("/v1/library/access", { body, headers });
	else
		await api.patch("/v1/projects/{project_identifier}/access", {
			path: { project_identifier: home.project },
			...{ body, headers },
		});
}

export function peoplePages(home: Home) {
	return infiniteQueryOptions({
		queryKey: ["access", keyOf(home), "people"],
		initialPageParam: undefined as string | undefined,
		queryFn: ({ pageParam: cursor, signal }) => {
			const query = { limit: 100, ...(cursor ? { cursor } : {}) };
			return home === "library"
				? api.get("/v1/library/access/people", { query, signal })
				: api.get("/v1/projects/{project_identifier}/access/people", {
						path: { project_identifier: home.project },
						...{ query, signal },
					});
		},
		getNextPageParam: (page) => page.next_cursor ?? undefined,
	});
}

export function restrictingQuery(project: string) {
	return queryOptions({
		queryKey: ["access", project, "restricting"],
		queryFn: async ({ signal }) =>
			(
				await api.get("/v1/projects/{project_identifier}/access/restricting", {
					path: { project_identifier: project },
					signal,
				})
			).data,
	});
}

/** The person or team that somebody typed; undefined for nobody. */
export async function findTyped(typed: string) {
	const { data } = await api.get("/v1/access_subjects", { query: { q: typed.trim() } });
	const lower = typed.trim().toLowerCase();
	const [first] = data;
	return data.find(({ name }) => name.toLowerCase() === lower) ?? (data.length === 1 ? first : undefined);
}

export const policyQuery = queryOptions({
	queryKey: ["access-policy"],
	queryFn: async ({ signal }) => (await api.get("/v1/access_policy", { signal })).data,
});

export const rulesQuery = queryOptions({
	queryKey: ["access-rules"],
	queryFn: async ({ signal }) => (await api.get("/v1/access_rules", { query: { limit: 200 }, signal })).data,
});

/** A rule with the entity tag by which it is changed. */
export interface TaggedRule {
	readonly rule: AccessRule;
	readonly etag: string | undefined;
}

export function ruleQuery(id: string) {
	return queryOptions({
		queryKey: ["access-rules", "one", id],
		queryFn: async ({ signal }): Promise<TaggedRule> => {
			const { body, etag } = await fetchExact(api.url("/v1/access_rules/{rule_id}", { path: { rule_id: id } }), signal);
			return { rule: (body as { data: AccessRule }).data, etag };
		},
	});
}

/** A person or team as changes name it. */
export function toBody({ type, id }: AccessRule["grants"][number]["subject"]) {
	return type === "user" ? { user: id } : { team: id };
}
