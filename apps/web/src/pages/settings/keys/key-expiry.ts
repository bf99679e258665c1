/** The choices for a key's expiry: never, days from now, or the end of a chosen day. */
export const EXPIRIES = ["never", "30", "90", "365", "date"] as const;
export type Expiry = (typeof EXPIRIES)[number];

const DAY_MS = 86_400_000;
/** The server also mails this long before a key expires. */
const SOON_MS = 14 * DAY_MS;

export function endsSoon(endsAt: string, now = Date.now()): boolean {
	return Date.parse(endsAt) - now <= SOON_MS;
}

/** Today in the format of date fields, in the browser's time zone. */
export function today(now = new Date()): string {
	const two = (value: number) => String(value).padStart(2, "0");
	return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

/** When the key expires, as an ISO time; undefined for never, `invalid` for a missing or past day. */
export function expiryTime(expiry: Expiry, date: string, now = Date.now()): string | "invalid" | undefined {
	if (expiry === "never") return;
	if (expiry !== "date") return new Date(now + Number(expiry) * DAY_MS).toISOString();
	const end = Date.parse(`${date}T23:59:59`);
	return Number.isNaN(end) || end <= now ? "invalid" : new Date(end).toISOString();
}
