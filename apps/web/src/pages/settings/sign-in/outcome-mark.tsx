import type { ReactNode } from "react";
import { settingsTexts } from "../../../texts/settings-en.ts";
import { type Outcome, OutcomeWord } from "../../../ui/outcome-icon.tsx";
import type { SignInStep } from "./sign-in-queries.ts";

/** An overall outcome as icon and word. */
export function OutcomeMark({ outcome }: { outcome: Outcome }): ReactNode {
	return <OutcomeWord outcome={outcome} word={settingsTexts.signIn.state[outcome]} />;
}

/** The overall outcome of several steps. */
export function worstOf(steps: readonly SignInStep[]): Outcome {
	if (steps.some(({ outcome }) => outcome === "failed")) return "failed";
	return steps.some(({ outcome }) => outcome === "warning") ? "warning" : "ok";
}
