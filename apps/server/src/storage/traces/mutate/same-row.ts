import { isDeepStrictEqual } from "node:util";
import { exactPico } from "../totals/cost-pico.ts";

/** Whether two rows with totals say the same: of equal costs, the two columns may differ. */
export function isSameRow(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): boolean {
	return isDeepStrictEqual(comparable(a), comparable(b));
}

function comparable({ cost_micro: micro, cost_pico: pico, ...row }: Readonly<Record<string, unknown>>) {
	const others = Object.entries(row).map(([name, value]) => [
		name,
		value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value,
	]);
	const cost = typeof micro === "number" && typeof pico === "number" ? exactPico({ micro, pico }) : undefined;
	return [Object.fromEntries(others), cost];
}
