import CircleCheck from "lucide-react/icons/circle-check";
import CircleMinus from "lucide-react/icons/circle-minus";
import CircleX from "lucide-react/icons/circle-x";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import type { ReactNode } from "react";
import { settingsTexts } from "../../../texts/settings-en.ts";
import { classNames } from "../../../ui/class-names.ts";
import type { SignInStep } from "./sign-in-queries.ts";

const TEXTS = settingsTexts.signIn;

export type Outcome = SignInStep["outcome"];

const LOOKS = {
	ok: { Icon: CircleCheck, className: "text-ok" },
	warning: { Icon: TriangleAlert, className: "text-warn" },
	failed: { Icon: CircleX, className: "text-danger" },
	skipped: { Icon: CircleMinus, className: "text-muted" },
} as const;

/** The outcome of a step as an icon, with a word for screen readers. */
export function OutcomeIcon({ outcome }: { outcome: Outcome }): ReactNode {
	const { Icon, className } = LOOKS[outcome];
	return (
		<span className={classNames("inline-flex shrink-0", className)}>
			<Icon size={15} aria-hidden />
			<span className="sr-only">{TEXTS.outcome[outcome]}</span>
		</span>
	);
}

/** An overall outcome as icon and word. */
export function OutcomeMark({ outcome }: { outcome: Outcome }): ReactNode {
	const { Icon, className } = LOOKS[outcome];
	return (
		<span className={classNames("inline-flex shrink-0 items-center gap-1.5 font-medium", className)}>
			<Icon size={15} aria-hidden />
			{TEXTS.state[outcome]}
		</span>
	);
}

/** The overall outcome of several steps. */
export function worstOf(steps: readonly SignInStep[]): Outcome {
	if (steps.some(({ outcome }) => outcome === "failed")) return "failed";
	return steps.some(({ outcome }) => outcome === "warning") ? "warning" : "ok";
}
