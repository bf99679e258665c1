import type { ReactNode } from "react";
import { usePageTitle } from "../../lib/page-title.ts";
import { texts } from "../../texts/en.ts";
import { classNames } from "../../ui/class-names.ts";

/** The frame of a settings page: title, description and action. */
export function SectionPage({
	title,
	intro,
	action,
	narrow = false,
	children,
}: {
	title: string;
	intro?: ReactNode;
	/** The button that creates a new item. */
	action?: ReactNode;
	/** Narrow width, for forms. */
	narrow?: boolean;
	children: ReactNode;
}): ReactNode {
	usePageTitle(title, texts.settings.title);
	return (
		<div className="min-h-0 flex-1 overflow-auto">
			<div className={classNames("flex flex-col gap-4 p-4", narrow ? "max-w-2xl" : "max-w-5xl")}>
				<div className="flex items-start gap-3">
					<div className="min-w-0 flex-1">
						<h1 className="font-semibold text-xl">{title}</h1>
						{intro && <p className="max-w-prose text-muted">{intro}</p>}
					</div>
					{action}
				</div>
				{children}
			</div>
		</div>
	);
}
