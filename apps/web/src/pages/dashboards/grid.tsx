import { type ReactNode, useEffect, useRef } from "react";
import { useIsPhone } from "../../lib/media.ts";
import { COLUMNS, GAP, heightOf, inReadingOrder, ROW_HEIGHT } from "./layouts.ts";
import type { Widget } from "./widget-question.ts";

/** Widgets at their places; on a phone one below the other. */
export function Grid({
	widgets,
	first,
	render,
}: {
	widgets: readonly Widget[];
	/** Key of the one to begin with. */
	first?: string | undefined;
	render: (widget: Widget) => ReactNode;
}): ReactNode {
	const isPhone = useIsPhone();
	const begin = useRef<HTMLDivElement>(null);
	useEffect(() => {
		if (first !== undefined) begin.current?.scrollIntoView({ block: "start" });
	}, [first]);
	return (
		<div
			className="grid min-w-0"
			style={{
				gap: GAP,
				...(isPhone ? {} : { gridTemplateColumns: `repeat(${COLUMNS}, minmax(0, 1fr))`, gridAutoRows: ROW_HEIGHT }),
			}}
		>
			{inReadingOrder(widgets).map((widget) => {
				const { x, y, w, h } = widget.layout;
				return (
					<div
						key={widget.key}
						ref={widget.key === first ? begin : null}
						className="min-w-0 scroll-mt-2"
						style={
							isPhone
								? { height: heightOf(widget.layout) }
								: { gridColumn: `${x + 1} / span ${w}`, gridRow: `${y + 1} / span ${h}` }
						}
					>
						{render(widget)}
					</div>
				);
			})}
		</div>
	);
}
