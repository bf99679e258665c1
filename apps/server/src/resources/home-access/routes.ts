import type { FastifyReply, FastifyRequest } from "fastify";
import type { Kysely, Transaction } from "kysely";
import { z } from "zod";
import { lastChangeDetails } from "#access/audit/queries.ts";
import { assertNoOlderServer } from "#access/rights/older-servers.ts";
import { findSubjects } from "#access/subjects/find-subjects.ts";
import { subjectOf } from "#access/subjects/subject-of.ts";
import { UserError } from "#base/errors.ts";
import { present } from "#base/present.ts";
import type { Context } from "#context.ts";
import { type Actor, HIDDEN } from "#http/actor.ts";
import type { App } from "#http/app-type.ts";
import { attachment } from "#http/attachment.ts";
import { escapeFormulasParam } from "#http/csv-line.ts";
import { pageSchema } from "#http/cursors.ts";
import { assertTagMatches } from "#http/etag.ts";
import { isLimited, type Principal } from "#http/principal.ts";
import { pageByText } from "#http/sorted-page.ts";
import { assertRoom } from "#http/storage-full.ts";
import { CHUNK, streamOf, whileAllowed } from "#http/stream-array.ts";
import { streamedText } from "#http/streamed-text.ts";
import type { Tables } from "#storage/schema.ts";
import { getProject } from "../projects/queries.ts";
import {
	type AccessStep,
	accessTag,
	gives,
	planAccess,
	readAccess,
	stepDetails,
	storeAccess,
	type WantedAccess,
} from "./change-access.ts";
import { getLibrary, getProjectHome, homeTarget, type NamedHome } from "./homes.ts";
import { findPeople, toPeople } from "./people.ts";
import { peopleCsv } from "./people-csv.ts";
import { findLosing } from "./restricting.ts";
import {
	AccessBatchBody,
	AccessBatchResult,
	AccessChange,
	AccessPreview,
	AccessPreviewBody,
	ChangedHomeAccess,
	HomeAccess,
	PeopleQuery,
	Person,
	Restricting,
} from "./schemas.ts";
import { showAccess } from "./show-access.ts";

const tags = ["access"];
const whenAuthIsOff = "refused";
/** However much their owners may do. */
const limitedKeys = "refused";
/** Taking away works while the storage is full; what gives is refused by {@link assertRoom}. */
const whenFull = "allowed";
const params = z.object({ project_identifier: z.string() });
const noQuery = z.strictObject({});
const RESTRICT = { access: "restricted", set: [], remove: [] } as const;
const CsvQuery = z.strictObject({ escape_formulas: escapeFormulasParam });
const csvAnswer = { 200: { content: { "text/csv": { schema: streamedText } } } };
const ShownAccess = z.object({ data: HomeAccess });
const ChangedAccess = z.object({ data: ChangedHomeAccess });
const PeoplePage = pageSchema(Person).meta({ id: "AccessPersonPage" });
/** Grants that one batch may set and take, in all its projects together. */
const MAX_BATCH = 10_000;

/** Who sees a project, or the library, and may do what there. */
export function homeAccessRoutes(app: App, context: Context): void {
	const { auth, capacity, cluster, db, now } = context;

	app.get(
		"/v1/projects/:project_identifier/access",
		{
			config: { access: "read", home: "project", whenAuthIsOff },
			schema: {
				operationId: "getProjectAccess",
				tags,
				summary: "Who may see and do what in a project; others than managers learn their own role",
				params,
				querystring: noQuery,
				response: { 200: ShownAccess },
			},
		},
		async (request, reply) =>
			await show(request, reply, await getProjectHome(db.read, request.actor, request.params.project_identifier)),
	);

	app.get(
		"/v1/library/access",
		{
			config: { access: "read", home: "content", whenAuthIsOff },
			schema: {
				operationId: "getLibraryAccess",
				tags,
				summary: "Who may see and do what with datasets and prompts of no project",
				querystring: noQuery,
				response: { 200: ShownAccess },
			},
		},
		async (request, reply) => await show(request, reply, getLibrary(request.actor)),
	);

	app.patch(
		"/v1/projects/:project_identifier/access",
		{
			config: { access: "write", home: "project", role: "manager", limitedKeys, whenAuthIsOff, whenFull },
			schema: {
				operationId: "updateProjectAccess",
				tags,
				summary: "Open or restrict a project, and give and take roles there, all or nothing",
				params,
				querystring: noQuery,
				body: AccessChange,
				response: { 200: ChangedAccess },
			},
		},
		async (request, reply) =>
			await update(request, reply, await getProjectHome(db.read, request.actor, request.params.project_identifier)),
	);

	app.patch(
		"/v1/library/access",
		{
			config: { access: "admin", home: "content", role: "manager", limitedKeys, whenAuthIsOff, whenFull },
			schema: {
				operationId: "updateLibraryAccess",
				tags,
				summary: "Open or restrict datasets and prompts of no project, and give and take roles, all or nothing",
				querystring: noQuery,
				body: AccessChange,
				response: { 200: ChangedAccess },
			},
		},
		async (request, reply) => await update(request, reply, getLibrary(request.actor)),
	);

	app.post(
		"/v1/access/batch",
		{
			config: { access: "write", home: "project", role: "manager", limitedKeys, whenAuthIsOff, whenFull },
			schema: {
				operationId: "updateAccessOfProjects",
				tags,
				summary: "Make the same change of access in many projects",
				querystring: noQuery,
				body: AccessBatchBody,
				response: { 200: z.object({ data: z.array(AccessBatchResult) }) },
			},
		},
		async (request) => {
			const { actor, body } = request;
			if (body.change.access === "restricted") await assertNoOlderServer(cluster);
			const { set = [], remove = [] } = body.change;
			if (body.projects.length * (set.length + remove.length) > MAX_BATCH) {
				throw new UserError(
					422,
					"batch_too_large",
					`A batch sets and takes at most ${MAX_BATCH} grants: send fewer projects at once.`,
				);
			}
			const results: z.output<typeof AccessBatchResult>[] = [];
			const homes: { readonly index: number; readonly named: NamedHome }[] = [];
			for (const [index, project] of body.projects.entries()) {
				const named = await orRefusal(() => getProjectHome(db.read, actor, project), body.atomic);
				if (named instanceof UserError) results[index] = toRefusal(project, named);
				else homes.push({ index, named });
			}
			if (homes.length < body.projects.length) actor.noteDenied(HIDDEN);
			if (homes.length === 0) return { data: results };
			await actor.change(async (transaction, principal) => {
				const wanted = await findWanted(transaction, body.change);
				for (const { index, named } of homes) {
					const project = body.projects[index] ?? "";
					const before = await readAccess(transaction, named.home);
					const steps = await orRefusal(async () => plan(named, before, wanted), body.atomic);
					if (steps instanceof UserError) {
						results[index] = toRefusal(project, steps);
						continue;
					}
					await store(transaction, request, { named, steps, principal });
					results[index] = { project, outcome: steps.length === 0 ? "unchanged" : "changed" };
				}
			});
			auth.rights.invalidate();
			return { data: results };
		},
	);

	app.post(
		"/v1/access/batch/preview",
		{
			config: { access: "read", home: "project", role: "manager", limitedKeys, whenAuthIsOff, whenFull },
			schema: {
				operationId: "previewAccessOfProjects",
				tags,
				summary: "Who would not see projects any more after a change of access, and whose keys would be refused",
				querystring: noQuery,
				body: AccessPreviewBody,
				response: { 200: z.object({ data: z.array(AccessPreview) }) },
			},
		},
		async ({ actor, body }) => {
			const homes = await Promise.all(
				body.projects.map(async (project) => {
					return { project, named: await orRefusal(() => getProjectHome(db.read, actor, project)) };
				}),
			);
			if (homes.some(({ named }) => named instanceof UserError)) actor.noteDenied(HIDDEN);
			const data: z.output<typeof AccessPreview>[] = [];
			let wanted: WantedAccess | undefined;
			const state = await auth.rights.stateIn(db.read);
			for (const { project, named } of homes) {
				const effects =
					named instanceof UserError
						? named
						: await orRefusal(async () => {
								// Only managers learn whether somebody exists.
								wanted ??= await findWanted(db.read, body.change);
								plan(named, await readAccess(db.read, named.home), wanted);
								return await findLosing(db.read, state, named.home, wanted);
							});
				data.push(
					effects instanceof UserError
						? { project, refused: { code: effects.code, message: effects.message } }
						: { project, effects },
				);
			}
			return { data };
		},
	);

	app.get(
		"/v1/projects/:project_identifier/access/people",
		{
			config: { access: "read", home: "project", role: "manager", whenAuthIsOff },
			schema: {
				operationId: "getProjectPeople",
				tags,
				summary: "Page through everybody who has a role in a project, with the reasons, by username",
				params,
				querystring: PeopleQuery,
				response: { 200: PeoplePage },
			},
		},
		async (request) => {
			const named = await getProjectHome(db.read, request.actor, request.params.project_identifier);
			return await showPeople(named, request.query);
		},
	);

	app.get(
		"/v1/library/access/people",
		{
			config: { access: "read", home: "content", role: "manager", whenAuthIsOff },
			schema: {
				operationId: "getLibraryPeople",
				tags,
				summary: "Page through everybody who sees datasets and prompts of no project, with the reasons, by username",
				querystring: PeopleQuery,
				response: { 200: PeoplePage },
			},
		},
		async (request) => await showPeople(getLibrary(request.actor), request.query),
	);

	app.get(
		"/v1/projects/:project_identifier/access/people/csv",
		{
			config: { access: "read", home: "project", role: "manager", whenAuthIsOff },
			exposeHeadRoute: false,
			schema: {
				operationId: "getProjectPeopleCSV",
				tags,
				summary: "Download everybody who has a role in a project, with the reasons, as CSV",
				params,
				querystring: CsvQuery,
				response: csvAnswer,
			},
		},
		async (request, reply) => {
			const named = await getProjectHome(db.read, request.actor, request.params.project_identifier);
			return await sendPeople(request, reply, named);
		},
	);

	app.get(
		"/v1/library/access/people/csv",
		{
			config: { access: "read", home: "content", role: "manager", whenAuthIsOff },
			exposeHeadRoute: false,
			schema: {
				operationId: "getLibraryPeopleCSV",
				tags,
				summary: "Download everybody who sees datasets and prompts of no project, with the reasons, as CSV",
				querystring: CsvQuery,
				response: csvAnswer,
			},
		},
		async (request, reply) => await sendPeople(request, reply, getLibrary(request.actor)),
	);

	app.get(
		"/v1/projects/:project_identifier/access/restricting",
		{
			config: { access: "read", home: "project", role: "manager", whenAuthIsOff },
			schema: {
				operationId: "getRestrictingEffects",
				tags,
				summary: "Who would not see a project any more if it were restricted now, and whose keys would be refused",
				params,
				querystring: noQuery,
				response: { 200: z.object({ data: Restricting }) },
			},
		},
		async (request) => {
			const project = await getProject(db.read, request.actor, request.params.project_identifier);
			return { data: await findLosing(db.read, await auth.rights.stateIn(db.read), project.id, RESTRICT) };
		},
	);

	async function show(request: FastifyRequest, reply: FastifyReply, named: NamedHome) {
		const state = await auth.rights.stateIn(db.read);
		const stored = await readAccess(db.read, named.home);
		reply.header("etag", accessTag(stored));
		return { data: await toHomeAccess(db.read, request.principal, state, named) };
	}

	async function toHomeAccess(
		reader: Kysely<Tables>,
		principal: Principal,
		state: Awaited<ReturnType<typeof auth.rights.stateIn>>,
		named: NamedHome,
	) {
		return await showAccess(reader, state, named, {
			subject: await subjectOf(reader, principal),
			rights: await auth.rights.ofIn(reader, principal),
			mayManage: !isLimited(principal),
		});
	}

	async function update(
		request: FastifyRequest<{ Body: AccessChange }>,
		reply: FastifyReply,
		named: NamedHome,
	): Promise<{ data: z.output<typeof ChangedHomeAccess> }> {
		if (request.body.access === "restricted") await assertNoOlderServer(cluster);
		const changed = await request.actor.change(async (transaction, principal) => {
			const wanted = await findWanted(transaction, request.body);
			const before = await readAccess(transaction, named.home);
			// Only managers come here, who see everybody with a role anyway.
			await assertTagMatches(request, accessTag(before), () =>
				lastChangeDetails(transaction, ["access.update"], homeTarget(named)),
			);
			await store(transaction, request, { named, steps: plan(named, before, wanted), principal });
			const state = await auth.rights.stateIn(transaction);
			const people = await findPeople(transaction, state, named.home);
			return {
				tag: accessTag(await readAccess(transaction, named.home)),
				data: { ...(await toHomeAccess(transaction, principal, state, named)), people_count: people.length },
			};
		});
		auth.rights.invalidate();
		reply.header("etag", changed.tag);
		return { data: changed.data };
	}

	function plan(named: NamedHome, before: Parameters<typeof planAccess>[1], wanted: WantedAccess): AccessStep[] {
		const steps = planAccess(named, before, wanted);
		if (steps.some(gives)) assertRoom(capacity);
		return steps;
	}

	async function store(
		transaction: Transaction<Tables>,
		request: FastifyRequest,
		{ named, steps, principal }: { named: NamedHome; steps: readonly AccessStep[]; principal: Principal },
	): Promise<void> {
		await storeAccess(transaction, named.home, steps, { principal, now: now() });
		for (const step of steps) {
			await auth.audit.recordIn(transaction, {
				action: "access.update",
				outcome: "success",
				...{ principal, request },
				target: homeTarget(named),
				details: stepDetails(step),
			});
		}
	}

	async function sendPeople(
		{ actor, query }: { readonly actor: Actor; readonly query: z.output<typeof CsvQuery> },
		reply: FastifyReply,
		named: NamedHome,
	) {
		const state = await auth.rights.stateIn(db.read);
		const people = await findPeople(db.read, state, named.home);
		people.sort((one, other) => (one.username < other.username ? -1 : 1));
		async function* read() {
			for (let start = 0; start < people.length; start += CHUNK)
				yield await toPeople(db.read, state, people.slice(start, start + CHUNK));
		}
		const chunks = whileAllowed(read(), () => actor.assertStillAllowed());
		return reply
			.type("text/csv; charset=utf-8")
			.header("content-disposition", attachment(`people of ${named.name}.csv`))
			.send(streamOf(peopleCsv(chunks, { escapeFormulas: query.escape_formulas })));
	}

	async function showPeople(named: NamedHome, query: z.output<typeof PeopleQuery>) {
		const state = await auth.rights.stateIn(db.read);
		const people = await findPeople(db.read, state, named.home);
		const page = pageByText(people, ({ username }) => username, { ...query, sort: "username", order: "asc" });
		return { data: await toPeople(db.read, state, page.items), next_cursor: page.next_cursor };
	}
}

async function findWanted(db: Kysely<Tables>, { access, set = [], remove = [] }: AccessChange): Promise<WantedAccess> {
	const found = await findSubjects(db, [...set.map(({ subject }) => subject), ...remove]);
	return {
		access,
		set: set.map(({ role }, index) => ({ subject: present(found[index], "the subject of a grant"), role })),
		remove: found.slice(set.length),
	};
}

/** What `work` resolves with, or why it was refused; with `atomic` it throws. */
async function orRefusal<T>(work: () => Promise<T>, atomic = false): Promise<T | UserError> {
	try {
		return await work();
	} catch (error) {
		if (atomic || !(error instanceof UserError) || error.status >= 500) throw error;
		return error;
	}
}

function toRefusal(project: string, { code, message }: UserError): z.output<typeof AccessBatchResult> {
	return { project, outcome: "refused", code, message };
}
