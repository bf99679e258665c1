import { type ReactNode, useEffect, useRef } from "react";
import { signInTexts } from "../texts/sign-in-en.ts";
import { classNames } from "../ui/class-names.ts";

export interface SignInLayoutProps {
	readonly title: string;
	/** Whether reading begins at the title: it takes the place of another page, or has nothing to fill in first. */
	readonly hasFocus?: boolean;
	readonly isWide?: boolean;
	readonly children: ReactNode;
}

/** The layout of the sign-in pages: one narrow column. */
export function SignInLayout({ title, hasFocus, isWide, children }: SignInLayoutProps): ReactNode {
	const heading = useRef<HTMLHeadingElement>(null);
	useEffect(() => {
		document.title = `${title} · ${signInTexts.app}`;
		if (hasFocus) heading.current?.focus();
	}, [title, hasFocus]);
	return (
		<main className="flex h-full flex-col items-center overflow-auto p-6">
			<div className={classNames("my-auto flex w-full flex-col gap-4 py-6", isWide ? "max-w-md" : "max-w-80")}>
				<p className="flex items-center gap-2.5 font-semibold text-lg">
					<img src="favicon.svg" alt="" width={26} height={26} />
					{signInTexts.app}
				</p>
				<h1 ref={heading} tabIndex={-1} className="font-semibold text-xl outline-none">
					{title}
				</h1>
				{children}
			</div>
		</main>
	);
}
