import { Link, useNavigate } from "@tanstack/react-router";
import CirclePlay from "lucide-react/icons/circle-play";
import type { ReactNode } from "react";
import { useCan } from "../../lib/me.ts";
import { useShortcuts } from "../../lib/shortcuts.tsx";
import { playgroundTexts as texts } from "../../texts/playground-en.ts";
import { traceTexts } from "../../texts/trace-en.ts";
import { Tooltip } from "../../ui/tooltip.tsx";

/** Leads from a model call to the playground, where it is sent again. */
export function OpenInPlayground({
	project,
	traceId,
	spanId,
}: {
	project: string;
	traceId: string;
	spanId: string;
}): ReactNode {
	const can = useCan();
	const navigate = useNavigate();
	const search = { span: `${traceId}:${spanId}`, project };
	useShortcuts({
		title: traceTexts.shortcuts.title,
		shortcuts: can("write")
			? [{ keys: ["p"], label: texts.open, run: () => void navigate({ to: "/playground", search }) }]
			: [],
	});
	if (!can("write")) return null;
	return (
		<Tooltip text={`${texts.open} (p)`}>
			<Link
				to="/playground"
				search={search}
				aria-label={texts.open}
				className="inline-flex size-6 shrink-0 items-center justify-center rounded text-muted hover:bg-hover hover:text-ink pointer-coarse:size-11"
			>
				<CirclePlay size={14} aria-hidden />
			</Link>
		</Tooltip>
	);
}
