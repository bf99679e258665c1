import type { ReactNode } from "react";

/** A part of a project's settings. */
export function SettingsPart({
	title,
	text,
	children,
}: {
	title: string;
	text?: string;
	children: ReactNode;
}): ReactNode {
	return (
		<section aria-label={title} className="flex flex-col gap-3 border-line border-t pt-4">
			<div>
				<h2 className="font-semibold">{title}</h2>
				{text && <p className="max-w-prose text-muted">{text}</p>}
			</div>
			{children}
		</section>
	);
}
