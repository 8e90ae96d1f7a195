package dev.sluice.connect.json;

import java.util.Arrays;

/**
 * Finds a value by the bytes that a record starts with, and compares these once: on the way it
 * looks only at the bytes by which the known starts differ. No start is the start of another. Owned
 * by one thread.
 */
final class PrefixTree<T> {
  private Node<T> root;
  private int size;

  private sealed interface Node<T> permits Leaf, Fork {}

  private record Leaf<T>(byte[] prefix, T value) implements Node<T> {}

  /** All starts below have the same bytes before {@code at}; those of {@code equal} also there. */
  private static final class Fork<T> implements Node<T> {
    private final int at;
    private final byte value;
    private Node<T> equal;
    private Node<T> other;

    private Fork(int at, byte value, Node<T> equal, Node<T> other) {
      this.at = at;
      this.value = value;
      this.equal = equal;
      this.other = other;
    }

    private boolean leadsToEqual(byte[] bytes) {
      return at < bytes.length && bytes[at] == value;
    }
  }

  int size() {
    return size;
  }

  void clear() {
    root = null;
    size = 0;
  }

  /** The value whose start the bytes have; null if there is none. */
  T find(byte[] bytes) {
    Leaf<T> leaf = nearest(bytes);
    return leaf != null && startsWith(bytes, leaf.prefix()) ? leaf.value() : null;
  }

  /**
   * Adds a value.
   *
   * @param prefix its start, of which no known start is the start, nor the other way round
   */
  void add(byte[] prefix, T value) {
    Leaf<T> added = new Leaf<>(prefix, value);
    Leaf<T> nearest = nearest(prefix);
    size++;
    if (nearest == null) {
      root = added;
      return;
    }
    int at = Arrays.mismatch(prefix, nearest.prefix());
    if (at < 0 || at == prefix.length || at == nearest.prefix().length) {
      throw new IllegalArgumentException("BUG: one start is the start of another");
    }
    root = added(root, added, at);
  }

  private Node<T> added(Node<T> node, Leaf<T> leaf, int at) {
    if (node instanceof Fork<T> fork && fork.at <= at) {
      if (fork.leadsToEqual(leaf.prefix())) {
        fork.equal = added(fork.equal, leaf, at);
      } else {
        fork.other = added(fork.other, leaf, at);
      }
      return fork;
    }
    return new Fork<>(at, leaf.prefix()[at], leaf, node);
  }

  /** The only value that can be meant. */
  private Leaf<T> nearest(byte[] bytes) {
    Node<T> node = root;
    while (node instanceof Fork<T> fork) {
      node = fork.leadsToEqual(bytes) ? fork.equal : fork.other;
    }
    return (Leaf<T>) node;
  }

  private static boolean startsWith(byte[] bytes, byte[] prefix) {
    return bytes.length >= prefix.length
        && Arrays.equals(bytes, 0, prefix.length, prefix, 0, prefix.length);
  }
}
