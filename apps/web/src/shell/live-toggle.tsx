import { useMatch, useNavigate } from "@tanstack/react-router";
import Radio from "lucide-react/icons/radio";
import type { ReactNode } from "react";
import { texts } from "../texts/en.ts";
import { classNames } from "../ui/class-names.ts";
import { Tooltip } from "../ui/tooltip.tsx";

/** On the list of traces: switches whether new rows are added automatically. */
export function LiveToggle(): ReactNode {
	const match = useMatch({ from: "/p/$project/traces", shouldThrow: false });
	const navigate = useNavigate();
	if (!match) return null;
	const isOn = match.search.live === "1";
	return (
		<Tooltip text={isOn ? texts.live.turnOff : texts.live.turnOn}>
			<button
				type="button"
				aria-pressed={isOn}
				onClick={() =>
					void navigate({
						from: "/p/$project/traces",
						to: ".",
						search: ({ live: _live, ...before }) => (isOn ? before : { ...before, live: "1" }),
						replace: true,
					})
				}
				className={classNames(
					"inline-flex h-7 items-center gap-1.5 rounded px-2 text-muted hover:bg-hover",
					"aria-pressed:bg-accent-soft aria-pressed:text-accent",
				)}
			>
				<Radio size={14} aria-hidden className={isOn ? "motion-safe:animate-pulse" : ""} />
				<span className="max-sm:sr-only">{texts.live.on}</span>
			</button>
		</Tooltip>
	);
}
