type JMESPath = typeof import("@jmespath-community/jmespath");
type Interpreter = JMESPath["TreeInterpreter"];

/** An evaluation was ended because it cost too much. */
export class BudgetError extends Error {
	override readonly name = "BudgetError";
}

/** Some tenths of a second; all parts of an expression for each of the most values that claims may have are fewer. */
const MAX_STEPS = 2_000_000;
/** Characters and elements that are copied or compared cost less than a step. */
const COPIED_PER_STEP = 16;

/**
 * Bounds evaluations: an expression that looks at the claims again for each of their values, as two nested filters do,
 * takes a time or a memory that grows with the square of what a provider sends.
 */
export class EvaluationBudget {
	#left = 0;

	constructor({ TreeInterpreter: interpreter }: JMESPath) {
		// Variables have it make others of its kind.
		const prototype: Interpreter = Object.getPrototypeOf(interpreter);
		const { visit } = prototype;
		const spend = (steps: number) => this.#spend(steps);
		prototype.visit = function (this: Interpreter, node, value) {
			spend(1);
			if (node.type === "Flatten") {
				const lists = this.visit(node.child, value);
				if (!Array.isArray(lists)) return null;
				for (const list of lists) spend(sizeOf(list));
				return lists.flat() as typeof lists;
			}
			const result = visit.call(this, node, value);
			if (node.type === "Function" || node.type === "Slice") spend(sizeOf(result));
			return result;
		};
	}

	/** @throws BudgetError */
	run<T>(evaluate: () => T): T {
		this.#left = MAX_STEPS;
		return evaluate();
	}

	#spend(steps: number): void {
		this.#left -= steps;
		if (this.#left < 0) throw new BudgetError();
	}
}

function sizeOf(value: unknown): number {
	return typeof value === "string" || Array.isArray(value) ? value.length / COPIED_PER_STEP : 0;
}
