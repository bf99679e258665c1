import CircleCheck from "lucide-react/icons/circle-check";
import CircleMinus from "lucide-react/icons/circle-minus";
import CircleX from "lucide-react/icons/circle-x";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import type { ReactNode } from "react";
import { texts } from "../texts/en.ts";
import { classNames } from "./class-names.ts";

/** How a step of a check ended. */
export type Outcome = "ok" | "warning" | "failed" | "skipped";

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
			<span className="sr-only">{texts.outcome[outcome]}</span>
		</span>
	);
}

/** The same with a word to read. */
export function OutcomeWord({ outcome, word }: { outcome: Outcome; word: string }): ReactNode {
	const { Icon, className } = LOOKS[outcome];
	return (
		<span className={classNames("inline-flex shrink-0 items-center gap-1.5 font-medium", className)}>
			<Icon size={15} aria-hidden />
			{word}
		</span>
	);
}
