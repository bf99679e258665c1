import { expect, test } from "vitest";
import { formatNumberOf, formatOf } from "./measures.ts";
import { thresholdTone } from "./thresholds.ts";

test("a unit of one's own takes the place of that of the measure", () => {
	expect(formatOf("count", { unit: "calls" })(12_345)).toBe("12.3k calls");
	expect(formatOf("latency_p95", { unit: "ms" })(1_234)).toBe("1.23k ms");
	expect(formatOf("cost_total", { unit: "USD", decimals: 2 })(1_234.5)).toBe("1,234.50 USD");
	expect(formatOf("error_rate", { unit: "% failed" })(0.125)).toBe("12.5 % failed");
	expect(formatNumberOf("latency_ms", { unit: "t" })(5)).toBe("5 t");
	expect(formatOf("count", { unit: "calls" })(null)).toBe("–");
});

test("decimals are kept with the unit of the measure", () => {
	expect(formatOf("count", { decimals: 1 })(1_234_567)).toBe("1,234,567.0");
	expect(formatOf("latency_p95", { decimals: 3 })(1_234)).toBe("1.234 s");
	expect(formatOf("latency_p95", { decimals: 0 })(12.6)).toBe("13 ms");
	expect(formatOf("cost_total", { decimals: 4 })(0.5)).toBe("$0.5000");
	expect(formatOf("error_rate", { decimals: 2 })(0.12345)).toBe("12.35 %");
	expect(formatOf("score_avg", { decimals: 1 })(-0.04)).toBe("0.0");
	expect(formatOf("cost_total", { decimals: 2 })(-1)).toBe("-$1.00");
	expect(formatOf("count", {})(12_345)).toBe("12.3k");
});

test("a number has the colour of the highest threshold that it reaches", () => {
	const thresholds = [
		{ value: 10, color: "danger" as const },
		{ value: 5, color: "warning" as const },
	];
	const tones = [4, 5, 10, null].map((value) => thresholdTone(thresholds, value));
	expect(tones).toEqual([undefined, "text-warn", "text-danger", undefined]);
});
