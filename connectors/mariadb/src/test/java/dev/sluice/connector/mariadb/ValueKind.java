package dev.sluice.connector.mariadb;

import java.util.Random;
import java.util.function.Function;

/**
 * A type of columns, and literals of random values of it.
 *
 * @param type as a statement declares it, with its attributes
 */
public record ValueKind(String type, Function<Random, String> literal) {}
