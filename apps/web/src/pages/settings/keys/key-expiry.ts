/** How long a key lives: days from now, for ever, or until the end of a day. */
export const EXPIRIES = ["never", "30", "90", "365", "date"] as const;
export type Expiry = (typeof EXPIRIES)[number];

const DAY_MS = 86_400_000;
/** The server mails of a key's end so long before, too. */
const SOON_MS = 14 * DAY_MS;

export function endsSoon(endsAt: string, now = Date.now()): boolean {
	return Date.parse(endsAt) - now <= SOON_MS;
}

/** Today as a date field writes it, in the browser's time zone. */
export function today(now = new Date()): string {
	const two = (value: number) => String(value).padStart(2, "0");
	return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

/** When the key ends, as an ISO time; absent for never, `invalid` without a day that is still to end. */
export function expiryTime(expiry: Expiry, date: string, now = Date.now()): string | "invalid" | undefined {
	if (expiry === "never") return;
	if (expiry !== "date") return new Date(now + Number(expiry) * DAY_MS).toISOString();
	const end = Date.parse(`${date}T23:59:59`);
	return Number.isNaN(end) || end <= now ? "invalid" : new Date(end).toISOString();
}
