package dev.sluice.engine.ddl;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

/** Chooses by weight. Owned by one thread. */
final class Choices<T> {
  private record Choice<T>(int weight, Supplier<T> supplier) {}

  private final Random random;
  private final List<Choice<T>> choices = new ArrayList<>();
  private int sum;

  Choices(Random random) {
    this.random = random;
  }

  Choices<T> add(int weight, Supplier<T> supplier) {
    choices.add(new Choice<>(weight, supplier));
    sum += weight;
    return this;
  }

  T get() {
    int number = random.nextInt(sum);
    for (Choice<T> choice : choices) {
      number -= choice.weight();
      if (number < 0) {
        return choice.supplier().get();
      }
    }
    throw new IllegalStateException("BUG: no choice");
  }
}
