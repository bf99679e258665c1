import { present } from "#base/present.ts";
import type { Actor } from "#http/actor.ts";
import type { RightsVersion } from "#storage/projects/rights-version.ts";
import type { RightsReader } from "./rights-reader.ts";

/** What the sender of an export may write, as plain data for the thread that decodes it. */
export interface SenderRights {
	/** The user who becomes manager of the projects that it makes; null for nobody. */
	readonly maker: number | null;
	/** When it was decided, by `monotonicMs`. */
	readonly decidedAtMs: number;
	/** By what it was decided; undefined where that does not matter. */
	readonly decidedBy?: RightsVersion;
	/** What it sends makes no project: one that is not there any more gets nothing. */
	readonly makesNone?: true;
	/** {@link ProjectLimits} as JSON, which passes between threads as it is; undefined where nothing limits. */
	readonly limits?: string;
}

/** The projects that a sender may write, by name. */
export type ProjectLimits =
	/** All but these, and new ones. */
	| { readonly except: readonly string[] }
	/** No others, and no new ones. */
	| {
			readonly only: readonly string[];
			readonly why: "members_create_no_projects" | "key_limited";
			/** For what names no project: the only one of a key. */
			readonly fallback?: string;
	  };

/** Who sends an export. */
export interface ExportSender {
	readonly rights: SenderRights;
	/** The same for all exports with the same credentials. */
	readonly id: string;
	/** What it may write now. @throws UserError when it may not send any more; StorageUnavailable */
	readonly lookAgain: () => Promise<SenderRights>;
}

/** The actor as a sender of exports; undefined while authentication is off. @throws StorageUnavailable */
export async function senderOf(actor: Actor, reader: RightsReader): Promise<ExportSender | undefined> {
	const { principal } = actor;
	const rights = await reader.ofSender(principal);
	if (rights === undefined) return undefined;
	return {
		rights,
		id: credentialsOf(principal),
		lookAgain: async () => present(await reader.ofSender(await actor.assertStillAllowed()), "the rights of a sender"),
	};
}

function credentialsOf(principal: Actor["principal"]): string {
	if ("grantId" in principal) return `grant ${principal.grantId}`;
	if ("keyId" in principal) return `key ${principal.keyId}`;
	return "sessionId" in principal ? `session ${principal.sessionId}` : principal.kind;
}
