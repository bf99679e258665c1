import type { ReactNode } from "react";
import { dashboardTexts as TEXTS } from "../../texts/dashboards-en.ts";
import { classNames } from "../../ui/class-names.ts";
import { WidgetBody, type WidgetBodyProps } from "./widget-body.tsx";
import { type WidgetChanges, WidgetMenu } from "./widget-menu.tsx";

/** By this one drags it. */
export const HANDLE = "widget-handle";

export interface WidgetCardProps extends WidgetBodyProps {
	readonly changes?: WidgetChanges | undefined;
	readonly isDraggable?: boolean;
}

/** A widget with its title and menu. */
export function WidgetCard({ changes, isDraggable = false, ...body }: WidgetCardProps): ReactNode {
	const { widget, chart, project } = body;
	const isBare = widget.kind === "text" && widget.title === "";
	return (
		<section
			aria-label={widget.title || TEXTS.widget.untitled}
			className="flex h-full min-w-0 flex-col overflow-hidden rounded border border-line bg-surface"
		>
			<div
				className={classNames(
					"flex h-8 shrink-0 items-center gap-2 pr-1 pl-3",
					isDraggable && `${HANDLE} cursor-move select-none`,
				)}
			>
				<h2 title={widget.title} className={classNames("min-w-0 flex-1 truncate font-semibold", isBare && "sr-only")}>
					{widget.title || TEXTS.widget.untitled}
				</h2>
				<span className="ml-auto">
					<WidgetMenu {...{ widget, chart, project, changes }} />
				</span>
			</div>
			<WidgetBody {...body} />
		</section>
	);
}
