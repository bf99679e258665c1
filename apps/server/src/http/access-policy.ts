import type { FastifyRequest, RouteOptions } from "fastify";
import { ConfigError } from "#base/config.ts";
import { UserError } from "#base/errors.ts";
import type { ProjectRole } from "#storage/schema.ts";
import type { ActAs, Actor } from "./actor.ts";
import { isClosedPath } from "./api-paths.ts";
import type { App } from "./app-type.ts";
import { type Audience, homesOf, type Principal } from "./principal.ts";

/**
 * Who may call a route. Declared beside each route as `config: { access }`; a route without one stops the start.
 * Columns are the kinds of {@link Principal}; V, M, A the roles viewer, member, admin of the user behind them.
 *
 * | policy          | what for                                     | session | user key | system key | admin secret |
 * |-----------------|----------------------------------------------|---------|----------|------------|--------------|
 * | `public`        | health, version, log-in, the web app's files | all     | all      | all        | all          |
 * | `read`          | reading                                      | V M A   | V M A    | yes        | yes          |
 * | `write`         | changing                                     | M A     | M A      | yes        | yes          |
 * | `ingest`        | as `write`, for OTLP                         | M A     | M A      | yes        | yes          |
 * | `admin`         | users, projects, secrets, audit              | A       | A        | no         | yes          |
 * | `admin_session` | system keys, bindings, trying sign-in        | A       | no       | no         | yes          |
 * | `account`       | who am I                                     | V M A * | V M A    | yes        | yes          |
 * | `own_account`   | one's username and password                  | V M A * | V M A    | no         | no           |
 * | `session`       | minting own keys, own sessions               | V M A   | no       | no         | no           |
 * | `keys`          | deleting a user key (own, or any by admins)  | V M A   | V M A    | no         | yes          |
 *
 * (*) also while a new password is due; every other policy but `public` refuses such a session.
 *
 * A key with permissions is admitted to `read`, `ingest` and `write` by the permission of that name, to `account` unless
 * it may only send, and to nothing else. One with homes is admitted to these four as well.
 *
 * A token of a program is admitted as a key with the same permissions and homes, to `admin` where an admin let it, and to
 * `admin_session`, `own_account`, `session` and `keys` never.
 *
 * While authentication is off every policy admits, but where `whenAuthIsOff: "refused"` stands beside it.
 */
export type AccessPolicy =
	| "public"
	| "read"
	| "write"
	| "ingest"
	/** Not declared: what `write` means at a route with the role `annotator`, which only writes annotations and notes. */
	| "annotate"
	| "admin"
	| "admin_session"
	| "account"
	| "own_account"
	| "session"
	| "keys";

/**
 * What a route is about, by which it is decided for whom that exists. Declared beside each route as
 * `config: { home }`; a route without one stops the start.
 *
 * - `project`: one project, or what is in one: its traces, spans, sessions, annotations, runs
 * - `content`: a dataset or a prompt and what belongs to it, in a project or in the library
 * - `shared_catalogue`: what everybody who is signed in may read, and every key
 * - `catalogue`: the same, but for keys that are limited to some homes
 * - `none`: the caller's own account, or the service as a whole
 */
export type HomeOfRoute = "project" | "content" | "shared_catalogue" | "catalogue" | "none";

declare module "fastify" {
	interface FastifyContextConfig {
		access?: Exclude<AccessPolicy, "annotate">;
		home?: HomeOfRoute;
		/** What is needed at the home; viewer where the policy only reads, else editor. */
		role?: ProjectRole;
		/** The route answers 403 to keys with permissions or homes, whatever its policy: it is about an account. */
		limitedKeys?: "refused";
		/** For what a program's token has to be; the API when absent. */
		audience?: Audience;
		/**
		 * The route answers 403 while authentication is off: its effect would last after authentication is switched on.
		 */
		whenAuthIsOff?: "refused";
		/**
		 * The route works while the storage is full, although it changes something: it stores nothing, or makes room.
		 */
		whenFull?: "allowed";
	}
	interface FastifyInstance {
		/** Every route that was mounted after {@link enforceAccess}. */
		mountedRoutes: readonly RouteOptions[];
	}
	interface FastifyRequest {
		/** Who sends the request; `anonymous` on public routes and while authentication is off. */
		principal: Principal;
		/** The same under the policy of the route: the only way in which a handler changes something. */
		actor: Actor;
	}
}

/**
 * Returns the principal of a request, having checked that it may call the route.
 * @throws UserError 401 or 403 when it may not
 */
export type Authorize = (request: FastifyRequest, access: AccessPolicy) => Promise<Principal>;

const SLOW_BODY_MS = 100;
/** From this time on rights are looked at again before an answer is sent. */
const SLOW_READ_MS = 500;
const CHANGES: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH", "DELETE"]);
const ANONYMOUS: Principal = { kind: "anonymous" };

/** Authentication is off: everybody may do everything. */
export const admitAll: Authorize = async () => ANONYMOUS;

/**
 * Stops the start on a route without a policy, and asks `authorize` before the body of any request is read.
 * @param actAs makes the actors of requests
 */
export function enforceAccess(app: App, authorize: Authorize, actAs: ActAs): void {
	const routes: RouteOptions[] = [];
	app.addHook("onRoute", (route) => {
		routes.push(route);
	});
	app.decorate("mountedRoutes", routes);
	app.addHook("onReady", async () => {
		const open = routes.filter(({ config }) => config?.access === undefined || config.home === undefined);
		if (open.length === 0) return;
		const names = open.map((route) => `${String(route.method)} ${route.url}`).join(", ");
		throw new ConfigError([
			`these routes declare no access policy, or not what they are about, add config: { access, home }: ${names}`,
		]);
	});
	app.decorateRequest("principal");
	app.decorateRequest("actor");
	const admit = async (request: FastifyRequest) => {
		const access = policyOf(request);
		const { role = defaultRole(access) } = request.routeOptions.config;
		request.principal = await authorize(request, access);
		request.actor = await actAs(request.principal, access, role);
		if (request.routeOptions.config.home === "catalogue" && homesOf(request.principal) !== undefined)
			throw keyLimited();
	};
	app.addHook("onRequest", async (request) => {
		await admit(request);
		if (request.routeOptions.config.whenAuthIsOff === "refused" && request.principal.kind === "anonymous")
			throw authenticationIsOff();
	});
	// A body may arrive as slowly as its sender likes; the right to send it may have ended meanwhile.
	app.addHook("preValidation", async (request, reply) => {
		if (request.routeOptions.config.access === undefined || reply.elapsedTime < SLOW_BODY_MS) return;
		await admit(request);
	});
	// What was read slowly is not for who may not see it any more. A change that was made is answered in any case.
	app.addHook("preSerialization", async (request, reply, payload) => {
		const isSlow = reply.elapsedTime >= SLOW_READ_MS && !CHANGES.has(request.method) && reply.statusCode < 400;
		if (isSlow) await request.actor.assertSeesAsBefore();
		return payload;
	});
}

/** What is needed at the home of what a route with this policy is about. */
export function defaultRole(access: AccessPolicy): ProjectRole {
	return access === "write" || access === "ingest" || access === "admin" ? "editor" : "viewer";
}

function policyOf(request: FastifyRequest): AccessPolicy {
	// A path without a route answers 404 or the web app; below /v1 not even that is revealed without credentials.
	const { access, role } = request.routeOptions.config;
	return access === "write" && role === "annotator" ? "annotate" : (access ?? policyOfUnknown(request));
}

/** The policy of a path without a route: who only reads is refused changes there too, even if it does not exist yet. */
function policyOfUnknown({ method, url }: FastifyRequest): AccessPolicy {
	if (!isClosedPath(url)) return "public";
	return CHANGES.has(method) ? "write" : "read";
}

/** The answer to a key that is limited to some homes, for what is about none of them. */
export function keyLimited(): UserError {
	return new UserError(
		403,
		"key_limited",
		"This key or program is limited to some projects, and this is about the whole service: use one without that limit.",
	);
}

/** The answer to a request that needs an account while nobody has one. */
export function authenticationIsOff(): UserError {
	return new UserError(
		403,
		"authentication_off",
		"Authentication is off, so there are no accounts and keys: set SERVICE_ENABLE_AUTH=true and SERVICE_SECRET to have them.",
	);
}

/** Gives this policy to the routes of a plugin that knows nothing of policies. */
export function withAccess(app: App, access: Exclude<AccessPolicy, "annotate">): void {
	app.addHook("onRoute", (route) => {
		route.config = { home: "none", ...route.config, access };
	});
}
