import { Component, type ComponentType, createElement, lazy, type ReactNode, useEffect, useState } from "react";
import { hasTypedText } from "../auth/typed-text.ts";
import { isNotFetched, isReplaced, loadPart } from "../lib/load-part.ts";
import { texts } from "../texts/en.ts";
import { Button } from "./button.tsx";
import { classNames } from "./class-names.ts";

/** What `Name` of a module is drawn with. */
type PropsOf<Module, Name extends keyof Module> = Module[Name] extends (props: infer Props) => ReactNode
	? Props
	: never;

/**
 * A component that is loaded when it is first drawn, in the `Suspense` around it. If it cannot be fetched, also later, only
 * its place says so and offers another try.
 * @param isOver it is a dialog, whose place is over the page
 */
export function lazyPart<Module, Name extends keyof Module & string>(
	load: () => Promise<Module>,
	name: Name,
	{ isOver = false }: { readonly isOver?: boolean } = {},
): ComponentType<PropsOf<Module, Name> & object> {
	type Props = PropsOf<Module, Name> & object;
	const start = () =>
		// What has this name in the module takes these props.
		lazy(async () => ({ default: (await loadPart(load))[name] as ComponentType<Props> }));
	let part = start();
	return function LazyPart(props: Props): ReactNode {
		const [current, setCurrent] = useState(() => part);
		const forget = () => {
			if (part === current) part = start();
		};
		return (
			<PartBoundary part={current} isOver={isOver} onFailed={forget} onRetry={() => setCurrent(() => part)}>
				{createElement(current as ComponentType<Props>, props)}
			</PartBoundary>
		);
	};
}

interface BoundaryProps {
	readonly part: unknown;
	readonly isOver: boolean;
	readonly onFailed: () => void;
	readonly onRetry: () => void;
	readonly children: ReactNode;
}

interface BoundaryState {
	readonly error?: unknown;
}

/** Shows that a part was not fetched; every other error is the page's. */
class PartBoundary extends Component<BoundaryProps, BoundaryState> {
	override state: BoundaryState = {};

	static getDerivedStateFromError(error: unknown): BoundaryState {
		return { error };
	}

	override componentDidCatch(): void {
		this.props.onFailed();
	}

	override componentDidUpdate({ part }: BoundaryProps): void {
		// Another try.
		if (part !== this.props.part && this.state.error !== undefined) this.setState({ error: undefined });
	}

	override render(): ReactNode {
		const { error } = this.state;
		if (error === undefined) return this.props.children;
		if (!isNotFetched(error)) throw error;
		return <NotFetched isOver={this.props.isOver} onRetry={this.props.onRetry} />;
	}
}

function NotFetched({ isOver, onRetry }: { readonly isOver: boolean; readonly onRetry: () => void }): ReactNode {
	const [replaced, setReplaced] = useState(false);
	useEffect(() => {
		void isReplaced().then((is) => {
			// What is typed would be lost: a person decides.
			if (is && !hasTypedText()) location.reload();
			setReplaced(is);
		});
	}, []);
	return (
		<div
			role="alert"
			className={classNames(
				"flex flex-wrap items-center gap-2 p-3 text-muted",
				isOver && "popup-surface fixed bottom-4 left-1/2 z-50 -translate-x-1/2",
			)}
		>
			{replaced ? texts.error.replaced : texts.error.partNotFetched}
			<Button onClick={replaced ? () => location.reload() : onRetry}>
				{replaced ? texts.action.reload : texts.action.retry}
			</Button>
		</div>
	);
}
