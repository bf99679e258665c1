import type { Kysely } from "kysely";
import { z } from "zod";
import { type Decision, decide } from "#access/rights/explain.ts";
import type { RightsState } from "#access/rights/rights-state.ts";
import { findNames, keyOf } from "#access/subjects/find-subjects.ts";
import type { Context } from "#context.ts";
import type { Actor } from "#http/actor.ts";
import type { App } from "#http/app-type.ts";
import { attachment } from "#http/attachment.ts";
import { pageOf, pageSchema } from "#http/cursors.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import type { Principal } from "#http/principal.ts";
import { toHome } from "#http/seen-homes.ts";
import { CHUNK, streamOf, whileAllowed } from "#http/stream-array.ts";
import { streamedText } from "#http/streamed-text.ts";
import { formatTime } from "#http/wire-times.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { getDatasetByIdentifier } from "../datasets/queries.ts";
import { getLibrary, getProjectHome, LIBRARY, type NamedHome, nameHome } from "../home-access/homes.ts";
import { listProjects } from "../projects/queries.ts";
import { getPrompt } from "../prompts/queries.ts";
import { type CheckRow, checkCsv } from "./check-csv.ts";
import { AccessCheck, CheckCsvQuery, CheckedHome, CheckQuery, OwnAccessQuery } from "./schemas.ts";
import { becauseOf, notOf, type StepNames, shortestReason } from "./steps.ts";
import { type CheckedSubject, findSelf, findSubject, isOwn, subjectNotFound } from "./subjects.ts";

const tags = ["access"];
const whenAuthIsOff = "refused";
type CheckedIn = Pick<z.output<typeof CheckQuery>, "project" | "dataset" | "prompt" | "library">;
const HomePage = pageSchema(CheckedHome).meta({ id: "CheckedHomePage" });

/** Why somebody, or a key, sees something and may change it there, or not. */
export function accessCheckRoutes(app: App, { auth, db, now }: Context): void {
	app.get(
		"/v1/access_check",
		{
			config: { access: "read", home: "none", whenAuthIsOff },
			schema: {
				operationId: "checkAccess",
				tags,
				summary: "What a user, a team or a key may do, and why",
				description:
					"Admins ask about everybody; managers about people, teams and keys in their projects; everybody about themselves and their keys. Without a project, dataset or prompt: a page of all homes. Of a team it says what a MEMBER may do by it.",
				querystring: CheckQuery,
				response: { 200: z.union([z.object({ data: AccessCheck }), HomePage]) },
			},
		},
		async ({ actor, principal, query }) => {
			const { named, found, state, withHidden } = await findChecked(actor, principal, query);
			if (named === undefined) return await pageOfHomes(actor, state, found, query, withHidden);
			return { data: await toCheck(actor, state, found, named) };
		},
	);

	app.get(
		"/v1/access_check/csv",
		{
			config: { access: "read", home: "none", whenAuthIsOff },
			exposeHeadRoute: false,
			schema: {
				operationId: "checkAccessCSV",
				tags,
				summary: "Download what a user, a team or a key may do, and why, as CSV",
				querystring: CheckCsvQuery,
				response: { 200: { content: { "text/csv": { schema: streamedText } } } },
			},
		},
		async ({ actor, principal, query }, reply) => {
			const { named, found, state, withHidden } = await findChecked(actor, principal, query);
			async function* read(): AsyncGenerator<readonly CheckRow[]> {
				if (named !== undefined) {
					const { because, not, ...check } = await toCheck(actor, state, found, named);
					yield [{ ...check, reason: [...because, ...not].map(({ text }) => text).join("; ") }];
					return;
				}
				for (let cursor: string | null | undefined; cursor !== null; ) {
					const page = await pageOfHomes(actor, state, found, { cursor, limit: CHUNK }, withHidden);
					yield page.data;
					cursor = page.next_cursor;
				}
			}
			const chunks = whileAllowed(read(), () => actor.assertStillAllowed());
			return reply
				.type("text/csv; charset=utf-8")
				.header("content-disposition", attachment(`access of ${found.name}.csv`))
				.send(streamOf(checkCsv(found.name, chunks, { escapeFormulas: query.escape_formulas })));
		},
	);

	app.get(
		"/v1/user/access",
		{
			config: { access: "read", home: "none", whenAuthIsOff },
			schema: {
				operationId: "getOwnAccess",
				tags,
				summary: "Page through what one sees oneself, with the role and the reason",
				querystring: OwnAccessQuery,
				response: { 200: HomePage },
			},
		},
		async ({ actor, principal, query }) => {
			const state = await auth.rights.stateIn(db.read);
			return await pageOfHomes(actor, state, await findSelf(db.read, principal, now()), query, false);
		},
	);

	/** Whom and what a request asks about. @throws UserError 404 about whom the actor may not ask */
	async function findChecked(actor: Actor, principal: Principal, query: CheckedIn & { readonly subject: string }) {
		const named = await findHome(actor, query);
		const found = await findSubject(db.read, query.subject, now());
		const state = await auth.rights.stateIn(db.read);
		const isAdmin = isAdminHere(actor);
		const own = found !== undefined && isOwn(found, principal);
		if (!own && !isAdmin) {
			if (named === undefined) throw subjectNotFound();
			actor.enter(named.home, "manager");
			if (found !== undefined && !(await isForManagers(found, named))) throw subjectNotFound();
		}
		if (found === undefined) throw subjectNotFound();
		return { named, found, state, withHidden: isAdmin && !own };
	}

	async function findHome(actor: Actor, query: CheckedIn): Promise<NamedHome | undefined> {
		const { project, dataset, prompt, library } = query;
		if (library !== undefined) return getLibrary(actor, "viewer");
		if (project !== undefined) return await getProjectHome(db.read, actor, project, "viewer");
		if (dataset !== undefined)
			return await nameHome(db.read, toHome((await getDatasetByIdentifier(db.read, actor, dataset)).project_id));
		if (prompt !== undefined)
			return await nameHome(db.read, toHome((await getPrompt(db.read, actor, prompt)).project_id));
		return undefined;
	}

	async function toCheck(
		actor: Actor,
		state: RightsState,
		subject: CheckedSubject,
		named: NamedHome,
	): Promise<z.output<typeof AccessCheck>> {
		const decision = decide(state, subject.rights, named.home, subject.key);
		const names = { state, subject, named, ...(await namesFor(db.read, actor, subject, [decision])) };
		return {
			subject: { type: subject.type, id: subject.id, name: subject.name },
			home: toWireHome(named),
			sees: decision.may.read,
			role: decision.role ?? null,
			counts_as: decision.countsAs ?? null,
			may: decision.may,
			because: becauseOf(decision, names),
			not: notOf(decision, names),
			...(subject.lastUsedAt === null ? {} : { last_used_at: formatTime(subject.lastUsedAt) }),
		};
	}

	/** @param withHidden also what the subject does not see */
	async function pageOfHomes(
		actor: Actor,
		state: RightsState,
		subject: CheckedSubject,
		query: { readonly cursor?: string | undefined; readonly limit: number },
		withHidden: boolean,
	): Promise<z.output<typeof HomePage>> {
		const page = await pageOf(
			"Project",
			query,
			(part) => listProjects(db.read, actor.rights, part),
			({ id, name, origin }): NamedHome => ({ home: id, name, follows: origin !== null }),
		);
		const isFirst = query.cursor === undefined || query.cursor === "";
		const seesLibrary = actor.rights.roleAt("library") !== undefined;
		const homes = [...(isFirst && seesLibrary ? [LIBRARY] : []), ...page.data];
		const decisions = homes.map((named) => ({
			named,
			decision: decide(state, subject.rights, named.home, subject.key),
		}));
		const shown = decisions.filter(({ decision }) => withHidden || decision.countsAs !== undefined);
		const shared = await namesFor(
			db.read,
			actor,
			subject,
			shown.map(({ decision }) => decision),
		);
		return {
			data: shown.map(({ named, decision }) => {
				const names: StepNames = { state, subject, named, ...shared };
				return {
					home: toWireHome(named),
					sees: decision.may.read,
					role: decision.role ?? null,
					counts_as: decision.countsAs ?? null,
					may: decision.may,
					reason: shortestReason(decision, names),
				};
			}),
			next_cursor: page.next_cursor,
		};
	}

	/** People and teams, and of keys and programs those that are limited to the home. */
	async function isForManagers({ type, key }: CheckedSubject, { home }: NamedHome): Promise<boolean> {
		if (type !== "api_key" && type !== "oauth2_grant") return true;
		return home !== "library" && key?.limits.homes?.projectIds.has(home) === true;
	}
}

function isAdminHere({ principal, rights }: Actor): boolean {
	if (principal.kind === "admin_secret") return true;
	if (principal.kind === "anonymous" || (principal.kind === "oauth_token" && !principal.admin)) return false;
	return principal.user.role === "ADMIN" && rights.projects === "all";
}

async function namesFor(
	db: Kysely<Tables>,
	{ rights, principal }: Actor,
	subject: CheckedSubject,
	decisions: readonly Decision[],
): Promise<Pick<StepNames, "teams" | "keyProjects" | "isOwn">> {
	const teamIds = new Set(decisions.flatMap(({ reasons }) => reasons.flatMap(({ teamId }) => teamId ?? [])));
	const found = await findNames(db, { userIds: [], teamIds });
	const ids = [...(subject.key?.limits.homes?.projectIds ?? [])].filter((id) => rights.roleAt(id) !== undefined);
	const projects = await db
		.selectFrom("projects")
		.select("name")
		.where("id", "in", listed(ids))
		.orderBy("id")
		.execute();
	return {
		teams: new Map([...teamIds].map((id) => [id, found.get(keyOf({ type: "team", id }))?.name ?? ""])),
		keyProjects: projects.map(({ name }) => name),
		isOwn: isOwn(subject, principal),
	};
}

function toWireHome({ home, name }: NamedHome) {
	return home === "library"
		? { type: "library" as const, name }
		: { type: "project" as const, id: encodeGlobalId("Project", home), name };
}
