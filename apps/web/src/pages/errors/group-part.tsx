import type { ReactNode } from "react";

/** A part of the page of a group, under its own heading. */
export function GroupPart({
	title,
	text,
	children,
}: {
	title: string;
	text?: ReactNode;
	children: ReactNode;
}): ReactNode {
	return (
		<section aria-label={title} className="flex min-w-0 flex-col gap-2 border-line border-t pt-3">
			<h2 className="font-semibold">{title}</h2>
			{text && <p className="max-w-prose text-muted">{text}</p>}
			{children}
		</section>
	);
}
