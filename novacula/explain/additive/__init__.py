"""How a prediction is divided among the columns: exactly for trees and planes, by Shapley's value for any model."""
