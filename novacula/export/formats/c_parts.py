"""The operations of a program as functions of C, in the order in which a file has them."""

READ = """\
/* The place of a text, without white space around it, among others; NAN if it is none of them. */
static double find_code(const char *word, const char *const *words, int n)
{
    const char *space = " \\t\\r\\n\\f\\v";
    size_t size;
    if (!word) return NAN;
    word += strspn(word, space);
    for (size = strlen(word); size > 0 && strchr(space, word[size - 1]); size--) continue;
    for (int i = 0; i < n; i++)
        if (strlen(words[i]) == size && memcmp(word, words[i], size) == 0) return i;
    return NAN;
}
"""

LARGEST = """\
/* The place of the first entry that is at least slack times the largest. */
static double largest(const double *x, int n, double slack)
{
    double most = x[0];
    for (int i = 1; i < n; i++)
        if (x[i] > most) most = x[i];
    for (int i = 0; i < n; i++)
        if (x[i] >= most * slack) return i;
    return NAN;
}
"""

LINEAR = """\
/* b + xW for d entries and k sums. */
static void linear(const double *x, int d, const double *weights, const double *bias, int k, double *out)
{
    for (int t = 0; t < k; t++) {
        double total = 0.0;
        for (int j = 0; j < d; j++) total += x[j] * weights[t * d + j];
        out[t] = total + bias[t];
    }
}
"""

TREES = """\
/* A leaf (entry -1) has its values from number first on. A test sends x <= threshold to node first and the rest to the
   next; with arms it sends a code to node first + arms[code]. Without a value a row goes to node first + missing, or
   to all with their shares. */
struct node { int entry; double threshold; int first; int branches; int missing; int arms; int shares; };

static void go_down(const double *x, const struct node *nodes, const int *arms, const double *shares,
                    const double *values, int width, int place, double share, double *out)
{
    while (nodes[place].entry >= 0) {
        const struct node *node = nodes + place;
        double value = x[node->entry];
        int branch = node->missing;
        if (value == value) {
            branch = node->arms >= 0 ? arms[node->arms + (int)value] : !(value <= node->threshold);
        } else if (node->shares >= 0) {
            for (int b = 0; b < node->branches; b++)
                if (shares[node->shares + b] > 0.0)
                    go_down(x, nodes, arms, shares, values, width, node->first + b,
                            share * shares[node->shares + b], out);
            return;
        }
        place = node->first + branch;
    }
    for (int k = 0; k < width; k++) out[k] += share * values[nodes[place].first + k];
}

static void add_trees(const double *x, const struct node *nodes, const int *arms, const double *shares,
                      const double *values, const int *start, const int *output, int trees, int width,
                      const double *constant, int k, double *out)
{
    for (int i = 0; i < k; i++) out[i] = constant[i];
    for (int t = 0; t < trees; t++)
        go_down(x, nodes, arms, shares, values, width, start[t], 1.0, out + output[t]);
}
"""

RULES = """\
/* low < x <= high, or with size >= 0 one of so many codes. */
struct demand { int entry; double low; double high; int codes; int size; };

/* The number of the first rule whose demands are all met, else the number of rules. */
static double first_rule(const double *x, const struct demand *demands, const int *codes, const int *start, int rules)
{
    for (int r = 0; r < rules; r++) {
        int holds = 1;
        for (int i = start[r]; holds && i < start[r + 1]; i++) {
            double value = x[demands[i].entry];
            holds = demands[i].size < 0 && value > demands[i].low && value <= demands[i].high;
            for (int c = 0; c < demands[i].size; c++) holds = holds || value == codes[demands[i].codes + c];
        }
        if (holds) return r;
    }
    return rules;
}
"""

DISTANCES = """\
/* How far m points of d entries are: sums of powers of gaps, or the largest gap. From entry codes on they are codes. */
static void distances(const double *x, const double *points, int m, int d, double power, int codes, int mixed,
                      double *out)
{
    for (int i = 0; i < m; i++) {
        double total = 0.0;
        for (int j = 0; j < d; j++) {
            double gap = fabs(x[j] - points[i * d + j]);
            if (j >= codes) gap = x[j] == points[i * d + j] ? 0.0 : 1.0;
            if (mixed && gap != gap) gap = 1.0;
            if (isinf(power)) total = gap > total ? gap : total;
            else total += power == 2.0 ? gap * gap : power == 1.0 ? gap : pow(gap, power);
        }
        out[i] = total;
    }
}
"""

NEAREST = """\
/* Of m points with t values those at the least distances that take k places: sums of voices, their total, and how far
   they are. */
static void nearest(const double *powers, const double *weight, const double *values, int m, int t, double k,
                    int by_distance, double power, double *out)
{
    double before = 0.0, last = -1.0;
    int last_point = -1, near = 0;
    for (int i = 0; i < 2 * t + 1; i++) out[i] = 0.0;
    for (int i = 0; i < m; i++) near = near || powers[i] == 0.0;
    while (before < k) {
        int best = -1;
        for (int i = 0; i < m; i++) {
            int is_left = powers[i] > last || (powers[i] == last && i > last_point);
            if (is_left && (best < 0 || powers[i] < powers[best])) best = i;
        }
        if (best < 0) break;
        double places = k - before < weight[best] ? k - before : weight[best];
        double distance = powers[best], voice = places;
        if (power == 2.0) distance = sqrt(distance);
        else if (!isinf(power)) distance = pow(distance, 1.0 / power);
        if (by_distance) voice = near ? (distance == 0.0 ? places : 0.0) : places / distance;
        for (int v = 0; v < t; v++) {
            out[v] += voice * values[best * t + v];
            out[t + 1 + v] += places * distance * values[best * t + v];
        }
        out[t] += voice;
        before += weight[best];
        last = powers[best];
        last_point = best;
    }
}
"""

PARTS = {
    "categories": READ,
    "Largest": LARGEST,
    "WeightedSums": LINEAR,
    "Trees": TREES,
    "FirstRule": RULES,
    "Distances": DISTANCES,
    "Nearest": NEAREST,
}
"""By the operation."""
