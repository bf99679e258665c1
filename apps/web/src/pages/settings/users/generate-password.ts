/** Without letters and digits that look alike. */
const SETS = ["ABCDEFGHJKLMNPQRSTUVWXYZ", "abcdefghijkmnopqrstuvwxyz", "23456789", "!@#$%^&*+"] as const;
const LENGTH = 16;

/** A random password of 16 characters that meets the strong rules. */
export function generatePassword(): string {
	const all = SETS.join("");
	for (;;) {
		const text = Array.from({ length: LENGTH }, () => all.charAt(randomBelow(all.length))).join("");
		if (SETS.every((set) => [...text].some((character) => set.includes(character)))) return text;
	}
}

/** A random number below the limit, without bias. */
function randomBelow(limit: number): number {
	const most = Math.floor(256 / limit) * limit;
	for (;;) {
		const [byte = 0] = crypto.getRandomValues(new Uint8Array(1));
		if (byte < most) return byte % limit;
	}
}
