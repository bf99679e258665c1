import type { NewKey } from "../../../lib/api-keys.ts";
import { type ChosenHomes, PERMISSIONS, type Permission } from "../../../limits/permissions.ts";

/** What keys are made for; each fills the fields of the form. */
export const PURPOSES = ["everything", "send", "browser", "read", "experiments"] as const;
export type Purpose = (typeof PURPOSES)[number];

/** Null: all that the owner may. */
export const PERMISSIONS_FOR: Readonly<Record<Purpose, readonly Permission[] | null>> = {
	everything: null,
	send: ["ingest"],
	browser: ["ingest"],
	read: ["read"],
	experiments: ["read", "write"],
};

/** A key in a browser or device is in everybody's hands, so that it had better have a limit. */
export const SPANS_FOR_BROWSERS = "100000";

/** The fields as they are typed; lists have an item on each line. */
export interface LimitsForm extends ChosenHomes {
	readonly permissions: readonly Permission[] | null;
	readonly ranges: string;
	readonly origins: string;
	readonly requests: string;
	readonly spans: string;
}

export const NO_LIMITS: LimitsForm = {
	permissions: null,
	projects: [],
	library: false,
	ranges: "",
	origins: "",
	requests: "",
	spans: "",
};

/** Whether pages can be allowed to send with such a key. */
export function isIngestOnly({ permissions }: Pick<LimitsForm, "permissions">): boolean {
	return permissions?.length === 1 && permissions[0] === "ingest";
}

/** A whole number above 0, undefined for nothing, or `invalid`. */
export function limitOf(text: string): number | "invalid" | undefined {
	if (text.trim() === "") return undefined;
	return /^[1-9]\d{0,9}$/.test(text.trim()) ? Number(text) : "invalid";
}

/** The permissions that a key has already; `write` includes two others. */
export function permissionsWithin(permissions: readonly Permission[] | null): readonly Permission[] {
	if (permissions === null || permissions.includes("write")) {
		return PERMISSIONS.filter((each) => each !== "read" || permissions?.includes("read") !== false);
	}
	return permissions;
}

/** What the form says of a key's limits, as it is sent. */
export function toSent(form: LimitsForm): Omit<NewKey, "name" | "description" | "expires_at"> {
	const [requests, spans] = [limitOf(form.requests), limitOf(form.spans)];
	const [ranges, origins] = [form.ranges, form.origins].map(linesOf);
	return {
		...(form.permissions === null ? {} : { permissions: [...form.permissions] }),
		...(form.projects.length === 0 && !form.library ? {} : { projects: form.projects.map(({ id }) => id) }),
		...(form.library ? { include_library: true } : {}),
		...(ranges === undefined ? {} : { ip_ranges: ranges }),
		...(origins === undefined || !isIngestOnly(form) ? {} : { allowed_origins: origins }),
		...(typeof requests === "number" || typeof spans === "number"
			? {
					limits: {
						...(typeof requests === "number" ? { requests_per_minute: requests } : {}),
						...(typeof spans === "number" ? { spans_per_day: spans } : {}),
					},
				}
			: {}),
	};
}

export function linesOf(text: string): string[] | undefined {
	const lines = text.split("\n").map((line) => line.trim());
	const filled = lines.filter((line) => line !== "");
	return filled.length === 0 ? undefined : filled;
}
