import { OAUTH2_PREFIX } from "./oauth2-settings.ts";
import { nearbyProviderVariables, splitProviderVariable } from "./read-providers.ts";
import type { Environment } from "./setting.ts";

/** Read by senders and clients, which may run with the same environment. */
const OF_CLIENTS = new Set(["SERVICE_API_KEY", "SERVICE_CLIENT_HEADERS", "SERVICE_COLLECTOR_ENDPOINT", "SERVICE_URL"]);

/** Kubernetes sets these for services whose names begin with "service". https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables */
const OF_KUBERNETES = /^SERVICE_(\w+_)?(SERVICE_(HOST|PORT(_\w+)?)|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$/;
const SERVICE_LINK = /^(tcp|udp|sctp):\/\//i;

/** Settings of a product that people switch from, and what applies here instead. */
export const ELSEWHERE: Readonly<Record<string, string>> = {
	SERVICE_MASK_INTERNAL_SERVER_ERRORS:
		"internal errors are always masked; the x-request-id of the answer identifies them in the log",
	SERVICE_TELEMETRY_ENABLED: "Spanward never reports anything to anybody",
	SERVICE_ALLOW_EXTERNAL_RESOURCES: "the web app never loads anything from other hosts",
	SERVICE_LOGGING_LEVEL: "SERVICE_LOG_LEVEL sets what is logged",
	SERVICE_DB_LOGGING_LEVEL: "SERVICE_LOG_LEVEL sets what is logged",
	SERVICE_LOG_SQL: "statements are not logged, because they contain users' data",
	SERVICE_POSTGRES_AZURE_SCOPE: "SERVICE_POSTGRES_PASSWORD_COMMAND sets the scope of its token",
	SERVICE_DANGEROUSLY_DISABLE_MIGRATIONS: "the schema is always upgraded at the start",
};

/**
 * Warnings about variables that look like settings but are not: misspelt, or of another version.
 * @param known names of all settings
 */
export function warnOfUnknown(environment: Environment, known: ReadonlySet<string>): readonly string[] {
	return Object.entries(environment).flatMap(([name, value]) => {
		if (!name.startsWith("SERVICE_") || known.has(name) || OF_CLIENTS.has(name)) return [];
		if (splitProviderVariable(name) !== undefined) return [];
		if (OF_KUBERNETES.test(name) || (name.endsWith("_PORT") && SERVICE_LINK.test(value ?? ""))) return [];
		return [explain(name, known)];
	});
}

function explain(name: string, known: ReadonlySet<string>): string {
	const shownName = name.replace(/[^\w.-]/g, "?").slice(0, 100);
	const elsewhere = ELSEWHERE[name];
	if (elsewhere !== undefined) return `${shownName} has no effect: ${elsewhere}`;
	const nearest = nearestName(name, name.startsWith(OAUTH2_PREFIX) ? nearbyProviderVariables(name) : [...known]);
	const hint = nearest === undefined ? "" : `; did you mean ${nearest}?`;
	return `${shownName} is not a setting of this version and has no effect${hint}`;
}

const MAX_DISTANCE = 4;

function nearestName(name: string, known: readonly string[]): string | undefined {
	const own = name.slice("SERVICE_".length).toUpperCase();
	const ranked = known
		.map((candidate) => ({ candidate, distance: editDistance(own, candidate.slice("SERVICE_".length)) }))
		.sort((a, b) => a.distance - b.distance);
	const best = ranked[0];
	const isNear = best !== undefined && best.distance <= Math.min(MAX_DISTANCE, Math.ceil(own.length / 3));
	return isNear ? best.candidate : undefined;
}

/** Levenshtein distance, over at most 100 characters. */
export function editDistance(a: string, b: string): number {
	const from = a.slice(0, 100);
	let row = Array.from({ length: b.length + 1 }, (_, index) => index);
	for (const [i, letter] of [...from].entries()) {
		const next = [i + 1];
		for (const [j, other] of [...b].entries()) {
			const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
			next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
		}
		row = next;
	}
	return row[b.length] ?? 0;
}
