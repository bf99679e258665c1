import ChevronRight from "lucide-react/icons/chevron-right";
import { type ReactNode, useMemo } from "react";
import { traceTexts as texts } from "../../texts/trace-en.ts";
import { classNames } from "../class-names.ts";
import { CopyButton } from "../copy-button.tsx";
import { type StackLine, stackLines } from "./stack-trace.ts";

const LOOKS: Record<StackLine["type"], string> = {
	head: "font-semibold",
	frame: "",
	code: "",
	library: "text-muted",
};
const LINES_OPEN = 40;

/** A stack trace, the application's own lines set apart from those of libraries; open unless it is long. */
export function StackTrace({ text, className }: { text: string; className?: string }): ReactNode {
	const lines = useMemo(() => stackLines(text), [text]);
	return (
		<div className={classNames("relative min-w-0", className)}>
			<CopyButton text={text} className="absolute -top-1 right-0" />
			<details open={lines.length <= LINES_OPEN} className="group/stack">
				<summary className="flex w-fit cursor-pointer list-none items-center gap-1 rounded text-muted text-sm hover:text-ink">
					<ChevronRight size={13} aria-hidden className="group-open/stack:rotate-90" />
					{texts.stackTrace}
				</summary>
				<pre className="mt-1 whitespace-pre-wrap break-words font-mono text-sm leading-5">
					{lines.map((line, index) => (
						<span key={index} className={classNames("block", LOOKS[line.type])}>
							{line.text || " "}
						</span>
					))}
				</pre>
			</details>
		</div>
	);
}
