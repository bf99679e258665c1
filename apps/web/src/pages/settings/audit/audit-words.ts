import type { AuditEvent } from "@spanward/client";
import { auditTexts } from "../../../texts/audit-en.ts";

const TEXTS = auditTexts;

/** The actions that one can filter by. */
export const ACTIONS = Object.keys(TEXTS.action) as (keyof typeof TEXTS.action)[];

/** The word for a key, or the key itself when it is newer than this page. */
function wordOf(words: Readonly<Record<string, string>>, key: string): string {
	return Object.hasOwn(words, key) ? (words[key] ?? key) : key;
}

export function actionName({ action }: Pick<AuditEvent, "action">): string {
	return wordOf(TEXTS.action, action);
}

/** The actor: a person's name, else what is known about the caller. */
export function actorName({ actor, ip }: Pick<AuditEvent, "actor" | "ip">): string {
	if (actor.username !== undefined) return actor.username;
	// Without an address, the server itself was the actor.
	if (actor.kind === "none") return ip === undefined ? TEXTS.service : TEXTS.nobody;
	return wordOf(TEXTS.kind, actor.kind);
}

/** The kind of credential that the actor used. */
export function credentialName({ actor }: Pick<AuditEvent, "actor">): string {
	return wordOf(TEXTS.kind, actor.kind);
}

export function targetName({ target }: Pick<AuditEvent, "target">): string {
	if (target === undefined) return "";
	return `${wordOf(TEXTS.target, target.type)} ${target.name ?? target.id ?? ""}`.trim();
}
