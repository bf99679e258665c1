import { type Me, may, type Right } from "../auth/me.ts";
import { texts } from "../texts/en.ts";
import { config } from "./config.ts";

const { settings: TEXTS } = texts;

/** In display order. */
export const SETTINGS_GROUPS = ["you", "data", "server"] as const;
type SettingsGroup = (typeof SETTINGS_GROUPS)[number];

/** A page of the settings. */
export interface SettingsSection {
	readonly to:
		| "/settings/account"
		| "/settings/sessions"
		| "/settings/api-keys"
		| "/settings/apps"
		| "/settings/users"
		| "/settings/teams"
		| "/settings/access"
		| "/settings/sign-in"
		| "/settings/user-keys"
		| "/settings/system-keys"
		| "/settings/clients"
		| "/settings/secrets"
		| "/settings/audit"
		| "/settings/ingest"
		| "/settings/agents"
		| "/settings/annotation-configs"
		| "/settings/waiting-annotations"
		| "/settings/retention"
		| "/settings/models"
		| "/settings/prices"
		| "/settings/storage";
	readonly label: string;
	readonly group: SettingsGroup;
	/** The right that opening the page requires; the server checks the same. */
	readonly access: Right;
	/** Whether there is nothing to show while authentication is off. */
	readonly needsAuth: boolean;
	/** Whether it is listed only while programs can ask for access; its page is there all the same, and says that they cannot. */
	readonly isOfPrograms?: boolean;
}

const you = { group: "you", needsAuth: true } as const;
const data = { group: "data", access: "read", needsAuth: false } as const;
const server = { group: "server", access: "admin", needsAuth: true } as const;

export const SETTINGS_SECTIONS: readonly SettingsSection[] = [
	{ ...you, to: "/settings/account", label: TEXTS.account, access: "own_account" },
	{ ...you, to: "/settings/sessions", label: TEXTS.sessions, access: "session" },
	{ ...you, to: "/settings/api-keys", label: TEXTS.keys, access: "session" },
	{ ...you, to: "/settings/apps", label: TEXTS.apps, access: "session", isOfPrograms: true },
	{ ...data, to: "/settings/annotation-configs", label: TEXTS.annotationConfigs },
	{ ...data, to: "/settings/waiting-annotations", label: TEXTS.waitingAnnotations },
	{ ...data, to: "/settings/retention", label: TEXTS.retention },
	{ ...data, to: "/settings/models", label: TEXTS.models },
	{ ...data, to: "/settings/prices", label: TEXTS.prices },
	{ ...data, to: "/settings/storage", label: TEXTS.storage },
	{ ...server, to: "/settings/users", label: TEXTS.users },
	{ ...server, to: "/settings/teams", label: TEXTS.teams },
	{ ...server, to: "/settings/access", label: TEXTS.access },
	{ ...server, to: "/settings/sign-in", label: TEXTS.signIn },
	{ ...server, to: "/settings/user-keys", label: TEXTS.userKeys },
	{ ...server, to: "/settings/system-keys", label: TEXTS.systemKeys },
	{ ...server, to: "/settings/clients", label: TEXTS.clients, isOfPrograms: true },
	{ ...server, to: "/settings/secrets", label: TEXTS.secrets },
	{ ...server, to: "/settings/audit", label: TEXTS.audit },
	{ group: "server", to: "/settings/ingest", label: TEXTS.ingest, access: "read", needsAuth: false },
	{ group: "server", to: "/settings/agents", label: TEXTS.agents, access: "read", needsAuth: false },
];

/** Whether this person may open the section. */
export function isOpen(section: SettingsSection, me: Me | undefined): boolean {
	if (!config.auth.enabled) return !section.needsAuth;
	return may(me, section.access);
}

/** The sections that are offered to this person. */
export function listedSections(me: Me | undefined): readonly SettingsSection[] {
	return SETTINGS_SECTIONS.filter(
		(section) => isOpen(section, me) && (config.auth.programs || section.isOfPrograms !== true),
	);
}
