import { spanward } from "../spanward-command.ts";

export interface ReportedStep {
	readonly name: string;
	readonly outcome: "ok" | "warning" | "failed" | "skipped";
	readonly text: string;
	readonly settings: readonly string[];
	readonly facts: readonly { readonly name: string; readonly value: string }[];
}

export interface DoctorReport {
	readonly code: number;
	/** Everything that it printed. */
	readonly output: string;
	readonly sections: readonly { readonly title: string; readonly steps: readonly ReportedStep[] }[];
	/** Of all sections. */
	readonly steps: readonly ReportedStep[];
	readonly failed: readonly ReportedStep[];
}

/** Runs `spanward doctor --json` with these settings. */
export async function askDoctor(
	env: Readonly<Record<string, string>>,
	args: readonly string[] = [],
	input = "",
): Promise<DoctorReport> {
	const { code, stdout, stderr } = await spanward(["doctor", "--json", ...args], { env, input });
	if (code > 1) throw new Error(`doctor ended with ${code}: ${stderr}${stdout}`);
	const { sections } = JSON.parse(stdout) as Pick<DoctorReport, "sections">;
	const steps = sections.flatMap((section) => section.steps);
	const failed = steps.filter(({ outcome }) => outcome === "failed");
	return { code, output: stdout + stderr, sections, steps, failed };
}
